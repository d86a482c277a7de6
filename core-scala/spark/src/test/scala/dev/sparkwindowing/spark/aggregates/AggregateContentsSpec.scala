package dev.sparkwindowing.spark.aggregates

import dev.sparkwindowing.codec.{BlockReader, CorruptBlockException, ValueCodec}
import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.spark.{BuildInfo, SharedSpark}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.expressions.Aggregator
import org.apache.spark.sql.{Column, DataFrame, Encoder, Encoders, Row, functions => F}
import org.scalactic.source.Position
import org.scalatest.funsuite.AnyFunSuite

import scala.util.Random

class AggregateContentsSpec extends AnyFunSuite with SharedSpark {

  private val keys = 5

  // Nulls in every column, strings of many lengths, distinct `id`s where a tie would have two right answers.
  private lazy val df: DataFrame = {
    val random = new Random(42)
    val rows   = (0 until 200).map { id =>
      def maybe[T](value: T): Option[T] = if (random.nextInt(8) == 0) None else Some(value)
      (
        (id % keys).toLong,
        id.toLong,
        maybe(random.nextInt(9)),
        maybe(random.nextGaussian() * 100),
        maybe("s" * random.nextInt(20) + random.nextInt(10)),
        maybe(BigDecimal(random.nextInt(100000).toLong, 2)),
        maybe(Seq(random.nextInt(3), random.nextInt(3)))
      )
    }
    spark.createDataFrame(rows).toDF("key", "id", "n", "x", "s", "d", "list").coalesce(1)
  }

  private def close(a: Any, b: Any): Boolean = (a, b) match {
    case (x: Double, y: Double)           => x == y || math.abs(x - y) <= 1e-9 * math.max(math.abs(x), math.abs(y))
    case (x: Array[Byte], y: Array[Byte]) => x.sameElements(y)
    case (x: Row, y: Row) => x.length == y.length && x.toSeq.zip(y.toSeq).forall { case (p, q) => close(p, q) }
    case (x: collection.Seq[_], y: collection.Seq[_]) =>
      x.size == y.size && x.zip(y).forall { case (p, q) => close(p, q) }
    case _ => a == b
  }

  private def check(buffers: Int, columns: Column*)(implicit pos: Position): Unit = {
    val dealt    = DealtRows.aggregate(df, columns, buffers, seed = 7)
    val expected = df.groupBy("key").agg(columns.head, columns.tail: _*).collect().map { r =>
      r.getLong(0) -> Row.fromSeq(r.toSeq.tail)
    }
    assert(expected.length == keys)
    expected.foreach { case (key, row) => assert(close(dealt(key), row), s"key $key: ${dealt(key)} is not $row") }
  }

  private def equalInAnyOrder(name: String)(columns: => Seq[Column])(implicit pos: Position): Unit =
    test(name)(check(3, columns: _*))

  // A list or a "first" follows the order of rows, which several buffers change: one buffer, and one partition above.
  private def equalInOrder(name: String)(columns: => Seq[Column])(implicit pos: Position): Unit =
    test(name)(check(1, columns: _*))

  private def sql(text: String): Column = F.expr(text)

  equalInAnyOrder("count")(Seq(F.count("n"), F.count("*"), F.count(F.lit(1)), F.count(F.lit(null)), sql("count(n, x)")))
  equalInAnyOrder("sum")(Seq(F.sum("n"), F.sum("x"), F.sum("d"), sql("try_sum(n)"), F.sum(F.lit(2))))
  equalInAnyOrder("avg")(Seq(F.avg("n"), F.avg("d"), F.avg("x")))
  equalInAnyOrder("min and max of numbers and strings")(Seq(F.min("n"), F.max("x"), F.min("s"), F.max("s"), F.max("d")))
  equalInAnyOrder("min and max of structs and arrays")(
    Seq(F.max(F.struct("s", "n")), F.min(F.struct("x", "list")), F.max("list"))
  )
  equalInAnyOrder("max of binary")(Seq(F.max(F.col("s").cast("binary"))))
  equalInAnyOrder("sorted collect_list and collect_set")(
    Seq(F.sort_array(F.collect_list("n")), F.sort_array(F.collect_set("s")), F.sort_array(F.collect_list("list")))
  )
  equalInAnyOrder("approx_count_distinct")(Seq(F.approx_count_distinct("s"), F.approx_count_distinct("id", 0.02)))
  equalInAnyOrder("sketches")(
    Seq(
      sql("hll_sketch_estimate(hll_sketch_agg(s))"),
      sql("bitmap_count(bitmap_construct_agg(bitmap_bit_position(id)))")
    )
  )
  if (BuildInfo.sparkLine == "4.1")
    equalInAnyOrder("sketches of newer versions of Spark")(
      Seq(
        sql("theta_sketch_estimate(theta_sketch_agg(s))"),
        sql("theta_sketch_estimate(theta_sketch_agg(n) filter (where x > 0))"),
        sql("tuple_sketch_estimate_double(tuple_sketch_agg_double(s, x))"),
        sql("kll_sketch_get_n_double(kll_sketch_agg_double(x))")
      )
    )
  equalInAnyOrder("percentile")(
    Seq(F.percentile(F.col("x"), F.lit(0.3)), sql("percentile(n, array(0.1, 0.9))"), F.median(F.col("d")))
  )
  equalInAnyOrder("percentile within group")(Seq(sql("percentile_cont(0.5) within group (order by x desc)")))
  equalInAnyOrder("percentile_approx")(
    Seq(F.percentile_approx(F.col("n"), F.lit(0.5), F.lit(1000)), sql("approx_percentile(x, array(0.25, 0.75), 1000)"))
  )
  equalInAnyOrder("spread")(Seq(F.stddev("x"), F.var_pop("x"), F.skewness("x"), F.kurtosis("n")))
  equalInAnyOrder("corr and regression")(
    Seq(
      F.corr("x", "n"),
      F.covar_samp("x", "n"),
      sql("regr_slope(x, n)"),
      sql("regr_r2(x, n)"),
      sql("regr_count(x, n)")
    )
  )
  equalInAnyOrder("count_if")(Seq(F.count_if(F.col("x") > 0), sql("count_if(n = 3)")))
  equalInAnyOrder("every and some")(Seq(sql("bool_and(n > 0)"), sql("bool_or(n > 7)")))
  equalInAnyOrder("max_by and min_by")(Seq(F.max_by(F.col("s"), F.col("id")), F.min_by(F.col("list"), F.col("id"))))
  equalInAnyOrder("bits")(Seq(sql("bit_xor(n)"), sql("bit_and(n)"), sql("bit_or(id)")))
  equalInAnyOrder("mode")(Seq(sql("mode(n > 2)"), sql("mode(cast(id % 2 = 0 or id % 3 = 0 as string))")))
  equalInAnyOrder("as many in the histogram")(
    Seq(sql("aggregate(histogram_numeric(n, 20), 0D, (sum, bin) -> sum + bin.y)"))
  )
  equalInAnyOrder("product and moments together")(Seq(F.product(F.lit(1) + F.col("n") / 100), F.avg("n")))
  equalInAnyOrder("sums divided")(
    Seq((F.sum("x") / F.count("x")).as("mean"), F.count("x"), (F.sum("x") + 1).as("more"))
  )
  equalInAnyOrder("expressions inside")(
    Seq(
      F.sum(F.when(F.col("n") > 3, F.col("x")).otherwise(0)),
      F.max(F.length(F.col("s")) + F.col("n")),
      F.sum(F.col("list")(0))
    )
  )
  equalInAnyOrder("expressions around")(
    Seq(
      sql("nullif(count(n), 0)"),
      F.round(F.avg("x"), 3),
      F.concat(F.lit("at most "), F.max("s")),
      F.size(F.collect_set("n"))
    )
  )
  equalInAnyOrder("a lambda around")(Seq(F.sort_array(F.transform(F.collect_list("n"), v => v * 2 + F.lit(1)))))
  equalInAnyOrder("FILTER")(
    Seq(
      sql("count(*) filter (where n > 3)"),
      sql("sum(x) filter (where s like 's%')"),
      sql("sort_array(collect_list(n) filter (where x > 0))"),
      sql("percentile(x, 0.5) filter (where n < 2)"),
      sql("approx_count_distinct(s) filter (where x > 0 and n > 1)"),
      sql("max(s) filter (where true)")
    )
  )
  equalInAnyOrder("a Scala function in the argument and around") {
    val half = F.udf((x: java.lang.Double) => if (x == null) 0.0 else x / 2)
    Seq(F.sum(half(F.col("x"))), half(F.max("x")))
  }
  equalInAnyOrder("an Aggregator through udaf")(Seq(F.udaf(Longest, Encoders.STRING).apply(F.col("s"))))

  equalInOrder("first and last")(
    Seq(F.first("s"), F.last("x"), F.first("n", ignoreNulls = true), F.last("list", ignoreNulls = true))
  )
  equalInOrder("any_value")(Seq(F.any_value(F.col("s")), sql("any_value(n) ignore nulls")))
  equalInOrder("lists in order")(Seq(F.collect_list("s"), F.collect_list(F.struct("n", "list")), F.collect_list("id")))
  if (BuildInfo.sparkLine != "3.5")
    equalInOrder("listagg")(
      Seq(sql("listagg(s, ',')"), sql("listagg(s, ';') within group (order by concat(s, 'x') desc)"))
    )

  test("a buffer without rows gives what Spark gives for none") {
    val columns    = Seq(F.count("n"), F.sum("x"), F.collect_list("s"), F.max("s"), F.approx_count_distinct("n"))
    val aggregates = AggregateAnalysis(df, columns)
    val contents   = new AggregateContents(aggregates, aggregates.arguments.indices.toArray)
    val result     = contents.result(DealtRows.throughBytes(contents, contents.empty())).copy()
    assert(result.getLong(0) == 0 && result.isNullAt(1) && result.getArray(2).numElements() == 0)
    assert(result.isNullAt(3) && result.getLong(4) == 0)
  }

  test("a firing with an evictor runs over the elements that are left") {
    val aggregates = AggregateAnalysis(df, Seq(F.sum("id"), F.collect_list("id")))
    val (rows, at) = DealtRows.project(df, aggregates)
    val contents   = new AggregateContents(aggregates, at)
    val elements   = new ElementList[InternalRow](NeverWritten)
    rows.take(10).foreach(elements.add(_, 0L))
    elements.removeFirst(7)
    (1 to 2).foreach { _ =>
      var fired = 0
      contents.fireElements(
        elements,
        null,
        result => {
          fired += 1
          assert(result.getLong(0) == 7 + 8 + 9)
          assert(result.getArray(1).toLongArray().toSeq == Seq(7L, 8L, 9L))
        }
      )
      assert(fired == 1)
    }
  }

  test("a result stays when the buffer grows") {
    val aggregates = AggregateAnalysis(df, Seq(F.collect_list("id")))
    val (rows, at) = DealtRows.project(df, aggregates)
    val contents   = new AggregateContents(aggregates, at)
    val buffer     = contents.add(contents.empty(), rows(0))
    val before     = contents.result(buffer).copy()
    contents.add(buffer, rows(1))
    assert(before.getArray(0).numElements() == 1)
    assert(contents.result(buffer).getArray(0).numElements() == 2)
  }

  test("bytes that are no buffer are refused") {
    val contents = new AggregateContents(AggregateAnalysis(df, Seq(F.sum("n"), F.count("n"))), Array(0))
    Seq(0, 8, 31).foreach { size =>
      val e = intercept[CorruptBlockException](contents.read(new BlockReader().open(new Array[Byte](size), 0, size)))
      assert(e.getMessage.contains(s"an aggregate buffer of $size bytes"))
    }
  }

  test("positions must match the arguments") {
    val aggregates = AggregateAnalysis(df, Seq(F.corr("x", "n")))
    val e          = intercept[IllegalArgumentException](new AggregateContents(aggregates, Array(1)))
    assert(e.getMessage == "ordinals: got 1 positions for 2 arguments: give one each")
  }
}

object Longest extends Aggregator[String, String, String] {
  def zero: String                         = ""
  def reduce(b: String, a: String): String = if (a == null) b else merge(b, a)
  def merge(a: String, b: String): String  = if (a.length != b.length) Seq(a, b).maxBy(_.length) else Seq(a, b).max
  def finish(b: String): String            = b
  def bufferEncoder: Encoder[String]       = Encoders.STRING
  def outputEncoder: Encoder[String]       = Encoders.STRING
}

object NeverWritten extends ValueCodec[InternalRow] {
  def write(value: InternalRow, out: dev.sparkwindowing.codec.BlockWriter): Unit =
    throw new UnsupportedOperationException
  def read(in: BlockReader): InternalRow = throw new UnsupportedOperationException
}
