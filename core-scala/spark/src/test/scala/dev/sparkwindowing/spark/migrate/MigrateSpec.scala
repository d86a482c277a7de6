package dev.sparkwindowing.spark.migrate

import dev.sparkwindowing.assigners._
import dev.sparkwindowing.checkpoints.MigratedOperator
import dev.sparkwindowing.spark._
import dev.sparkwindowing.spark.links.OperatorSetting
import dev.sparkwindowing.spark.plan.{StateStoreRules, WatermarkTiming}
import dev.sparkwindowing.spark.relocated.RelocatedInTests.memoryStream
import dev.sparkwindowing.triggers.{CountTrigger, NeverTrigger}
import dev.sparkwindowing.watermarks.WatermarkStrategy
import dev.sparkwindowing.{SparkWindowing, WindowedStream}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame, Encoders, Row, SparkSession}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow

import java.nio.file.Files
import java.time.Duration.ofSeconds
import scala.reflect.ClassTag
import scala.util.Random

/** Changed queries on checkpoints that were written for them from those of others. */
@Slow
class MigrateSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private type Query = DataFrame => DataFrame

  private val ten = TumblingEventTimeWindows.of(ofSeconds(10))

  private def windows(events: DataFrame, assigner: WindowAssigner[InternalRow] = ten): WindowedStream =
    SparkWindowing.keyBy(events, Seq(col("key"))).window(assigner)

  private def query(aggregates: Column*): Query = windows(_).aggregate(aggregates: _*)

  private val n     = count(lit(1)).as("n")
  private val total = sum("value").as("total")

  private def changing(first: Query, on: SparkSession = spark)(check: Changing => Unit): Unit =
    Changing(on)(first)(check)

  private def refused[E <: Exception: ClassTag](result: => Any)(texts: String*): Unit = {
    val e = intercept[E](result)
    texts.foreach(text => assert(e.getMessage.contains(text), e.getMessage))
  }

  test("an aggregate more begins empty in open windows, and the others go on, in another order") {
    changing(query(n, total)) { c =>
      c.driven.batch(at("a", 1, 1000), at("b", 2, 2000))
      assert(c.refused(query(total, max("value").as("most"), n)).contains("migrate"))
      val next = query(total, max("value").as("most"), n)
      c.to(query(n, total))
      c.driven.settle()
      val written = c.migrate(next)
      assert(written == Seq(MigratedOperator(0, 2, written.head.bytes, Seq("max(`value#0`)"), Nil)))
      c.driven.batch(at("a", 4, 3000))
      assert(WindowText.of(c.driven.watermark(10000)) == Seq("a [0, 10000) 5 4 2", "b [0, 10000) 2 null 1"))
    }
  }

  test("aggregates of several columns go on in another order, with a new one before them") {
    changing(query(total, max("ts").as("last"))) { c =>
      c.driven.batch(at("a", 1, 1000))
      val written = c.migrate(query(count("key").as("n"), max("ts").as("last"), total))
      assert(written.map(of => (of.added, of.dropped)) == Seq((Seq("count(`key#0`)"), Nil)))
      c.driven.batch(at("a", 2, 500))
      assert(WindowText.of(c.driven.watermark(10000)) == Seq("a [0, 10000) 1 1000 3"))
    }
  }

  test("an aggregate less, and back: what was dropped begins empty") {
    changing(query(n, total)) { c =>
      c.driven.batch(at("a", 1, 1000))
      assert(c.migrate(query(n)).map(_.dropped) == Seq(Seq("sum(`value#0`)")))
      c.driven.batch(at("a", 2, 1000))
      assert(c.migrate(query(n, total)).map(_.added) == Seq(Seq("sum(`value#0`)")))
      c.driven.batch(at("a", 4, 1000))
      assert(WindowText.of(c.driven.watermark(10000)) == Seq("a [0, 10000) 3 4"))
    }
  }

  // New functions count no row of the first part. So the results are those of one run of the second query.
  private val late   = when(col("value") >= 1000, col("value"))
  private val before = Seq(min("value").as("least"), total, sort_array(collect_list("value")).as("all"), n)
  private val after  = Seq(
    n,
    sort_array(collect_set(late)).as("set"),
    sort_array(collect_list("value")).as("all"),
    max(late).as("most"),
    avg(late).as("mean"),
    total
  )

  private val assigners: Seq[(String, WindowAssigner[InternalRow])] = Seq(
    "windows"    -> ten,
    "sessions"   -> EventTimeSessionWindows.withGap(ofSeconds(3)),
    "slices"     -> SlidingEventTimeWindows.of(ofSeconds(10), ofSeconds(2)),
    "cumulative" -> CumulativeEventTimeWindows.of(ofSeconds(20), ofSeconds(5))
  )

  private val sizes    = Map(StateStoreRules.WindowsSetting -> "100", StateStoreRules.PageSetting -> "40")
  private val portable = Map(OperatorSetting.Name -> OperatorSetting.Portable)

  private val sessions: Seq[(String, SparkSession)] = {
    val format2 = Map("checkpointFormatVersion" -> "2")
    val stores  = StateStores.all.map { case (name, settings) => name -> StateStores.session(spark, settings) } ++
      StateStores.all.drop(1).filterNot(_ => spark.version.startsWith("3.")).map { case (name, settings) =>
        s"$name, format 2" -> StateStores.session(spark, settings ++ format2)
      }
    val rocksDb = StateStores.all(1)._2.map { case (name, value) => s"spark.sql.streaming.stateStore.$name" -> value }
    val others  = Seq("in pages" -> sizes, "in pages, RocksDB" -> (sizes ++ rocksDb), "portable" -> portable).map {
      case (name, settings) =>
        val own = spark.newSession()
        settings.foreach { case (name, value) => own.conf.set(name, value) }
        name -> own
    }
    stores ++ others
  }

  private def same(on: SparkSession, seed: Int, between: => Unit = ())(first: Query, second: Query): Unit = {
    val random            = new Random(seed)
    def rows(values: Int) = (1 to 80).map(i => at(s"k${random.nextInt(5)}", values + i, 1000L + random.nextInt(40000)))
    val parts             = Seq(rows(0), rows(1000))
    def after(q: DrivenQuery): Seq[Row] = q.batch(parts(1): _*) ++ q.watermark(1000000) ++ q.watermark(1000001)
    val one                             = new DrivenQuery(on, delay = Some("60 seconds"))(second).start()
    one.batch(parts.head: _*)
    val expected = WindowText.of(after(one))
    one.stop()
    assert(expected.size >= 5)
    var now = first
    val q   = new DrivenQuery(on, delay = Some("60 seconds"))(now(_)).start()
    try {
      q.batch(parts.head: _*)
      q.stop()
      between
      val to = Rescaled.folder()
      SparkWindowing.migrate(q.checkpoint.toString, second(q.events), to.toString)
      now = second
      q.moveTo(to)
      assert(WindowText.of(after(q)) == expected)
    } finally { val _ = q.stop() }
  }

  for (((name, assigner), seed) <- Cases.each(2)(assigners.zipWithIndex))
    test(s"what stays goes on as if it had never been with others: $name") {
      same(spark, seed)(windows(_, assigner).aggregate(before: _*), windows(_, assigner).aggregate(after: _*))
    }

  for (((name, on), seed) <- Cases.each(2)(sessions.zipWithIndex.drop(1)))
    test(s"what stays goes on as if it had never been with others: $name") {
      val assigner              = SlidingEventTimeWindows.of(ofSeconds(10), ofSeconds(2))
      def of(events: DataFrame) = windows(events, assigner).trigger(NeverTrigger.create()).trigger(CountTrigger.of(4))
      same(on, seed)(of(_).aggregate(before: _*), of(_).aggregate(after: _*))
    }

  test("keys larger than a block that has pieces, where there are none") {
    val own = spark.newSession()
    portable.foreach { case (name, value) => own.conf.set(name, value) }
    val many                           = SlidingEventTimeWindows.of(ofSeconds(3000), ofSeconds(1))
    def of(aggregates: Column*): Query = windows(_, many).trigger(CountTrigger.of(2)).aggregate(aggregates: _*)
    changing(of(n), own) { c =>
      c.driven.batch(at("a", 1, 5000000))
      c.migrate(of(n, total))
      assert(c.driven.batch(at("a", 2, 5000000)).map(r => (r.getLong(2), r.getLong(3))) == Seq.fill(3000)((2, 2)))
    }
  }

  test("watermarks by partition: inputs that were there keep their places") {
    val strategy                 = WatermarkStrategy.forMonotonousTimestamps()
    val more                     = memoryStream(Encoders.product[Event], spark)
    def timed(events: DataFrame) = SparkWindowing.assignTimestampsAndWatermarks(events, strategy, "ts", col("value"))
    def both(before: Boolean): Query = { events =>
      val other = more.toDF().drop("tick")
      query(n)(if (before) timed(other).union(timed(events)) else timed(events).union(timed(other)))
    }
    val c = new Changing(spark, delay = None)(events => query(n)(timed(events)))
    try {
      c.driven.batch(at("a", 1, 1000), at("a", 2, 15000))
      c.driven.stop()
      refused[IllegalArgumentException](c.migrate(both(before = true), Some(Seq(None, Some(0)))))(
        "let those that were there come first"
      )
      c.migrate(both(before = false), Some(Seq(Some(0), None)))
      more.addData(at("b", 9, 30000))
      assert(c.driven.batch(at("a", 2, 16000)) == Nil, "partition 1 holds the watermark")
      assert(WindowText.of(c.driven.batch(at("a", 1, 16000))) == Seq("a [0, 10000) 1"))
    } finally { val _ = c.driven.stop() }
  }

  for (isSame <- Seq(true, false))
    test(s"windows fire in another micro-batch from then on: in that of their rows before, $isSame") {
      val own = spark.newSession()
      own.conf.set(WatermarkTiming.Setting, isSame.toString)
      same(own, 11, between = own.conf.set(WatermarkTiming.Setting, (!isSame).toString))(query(n), query(n, max(late)))
    }

  test("over windows") {
    def over(aggregates: Column*): Query = events =>
      SparkWindowing
        .keyBy(events, Seq(col("key")))
        .window(OverEventTimeWindows.preceding(ofSeconds(10)))
        .aggregate(aggregates: _*)
    same(spark, 9)(over(n, total), over(max(late).as("most"), total))
  }

  test("of a chain one operator has changed") {
    def chain(first: Column*)(second: Column*): Query = events =>
      SparkWindowing
        .keyBy(windows(events).aggregate(first: _*), Seq(col("key")))
        .window(TumblingEventTimeWindows.of(ofSeconds(60)))
        .aggregate(second: _*)
    same(spark, 10)(chain(n, total)(sum("n").as("n")), chain(n, total)(sum("n").as("n"), max("total").as("most")))
  }

  test("which operator is which one is told by what has not changed, and refused where it cannot be") {
    def both(aggregates: Column*)(others: Column*): Query =
      events => query(aggregates: _*)(events).union(query(others: _*)(events))
    changing(both(n)(n)) { c =>
      c.driven.batch(at("a", 1, 1000))
      c.driven.stop()
      refused[IllegalArgumentException](c.migrate(both(count(lit(1)).as("n"))(max("value").cast("long").as("n"))))(
        "which of the 2 window operators is which one of the checkpoint cannot be told"
      )
      c.migrate(events => both(n)(n)(SparkWindowing.withClock(events, ofSeconds(1))), None)
      assert(WindowText.of(c.driven.watermark(10000)) == Seq("a [0, 10000) 1", "a [0, 10000) 1"))
    }
  }

  test("what needs no other rows of the state is taken too: values that may be others, a lateness that is allowed") {
    changing(query(n)) { c =>
      c.driven.batch(at("a", 1, 1000), at("b", 1, 1000))
      c.driven.stop()
      def longer(of: WindowedStream => WindowedStream): Query =
        events => of(windows(events).withPane().allowedLateness(ofSeconds(5))).aggregate(n, total)
      refused[IllegalArgumentException](c.migrate(longer(identity)))(
        "allowed lateness: was 0 ms, is 5 s",
        "Add .allowStateChange() to the query"
      )
      c.migrate(longer(_.allowStateChange()))
      assert(c.driven.watermark(10000).map(r => (r.getLong(3), r.isNullAt(4))) == Seq.fill(2)((1, true)))
      c.to(longer(identity))
      assert(c.driven.batch(at("a", 2, 1000)).map(r => (r.getLong(3), r.getLong(4))) == Seq((2, 2)))
      assert(c.driven.watermark(15000) == Nil)
      assert(c.driven.metric("openWindows") == 0)
    }
  }

  test("no state is right: refused with the reason, and nothing is written") {
    changing(query(n, total)) { c =>
      c.driven.batch(at("a", 1, 1000))
      c.driven.stop()
      def to(next: Query) = c.migrate(next)
      val other           = "no state of the old query is right for this one. Changed: "
      refused[IllegalArgumentException](
        to(windows(_, TumblingEventTimeWindows.of(ofSeconds(20))).aggregate(n, total))
      )(other + "assigner.size: was 10 s, is 20 s", "startingWith")
      refused[IllegalArgumentException](to(e => query(n, total)(e.withColumn("value", col("value").cast("double")))))(
        "sum(`value#0`) has the buffer sum:bigint in the checkpoint, and sum:double in the query"
      )
      refused[IllegalArgumentException](
        to(windows(_).reduce(expr("named_struct('key', a.key, 'value', a.value + b.value, 'ts', a.ts)")))
      )(other)
      val more = spark.range(1).select(col("id").as("value"))
      refused[IllegalArgumentException](
        to(e => windows(e.crossJoin(more)).aggregate(n, sum(e("value")).as("total"), max(more("value"))))
      )("several columns in the functions are called value")
      refused[IllegalArgumentException](to(identity))("takes the result of windows on a stream")
      refused[IllegalArgumentException](to { events =>
        val first = query(n)(events)
        SparkWindowing.keyBy(first, Seq(col("key"))).window(ten).aggregate(sum("n").as("n"))
      })("the query has 2 window operators and the checkpoint 1")
      c.to(query(n, total))
      assert(WindowText.of(c.driven.watermark(10000)) == Seq("a [0, 10000) 1 1"))
    }
  }

  test("the state of the other operator: the line that the error says") {
    val own = spark.newSession()
    own.conf.set(OperatorSetting.Name, OperatorSetting.Portable)
    changing(query(n), own) { c =>
      c.driven.batch(at("a", 1, 1000))
      c.driven.stop()
      own.conf.set(OperatorSetting.Name, OperatorSetting.Native)
      refused[IllegalArgumentException](c.migrate(query(n, total)))(
        """spark.conf.set("spark.windowing.operator", "portable") before this call"""
      )
      own.conf.set("spark.windowing.operator", "portable")
      c.migrate(query(n, total))
      assert(WindowText.of(c.driven.watermark(10000)) == Seq("a [0, 10000) 1 null"))
    }
  }

  test("an operator of Spark with state is refused by name, as in the old query so in the new one") {
    changing(query(n)) { c =>
      c.driven.batch(at("a", 1, 1000))
      c.driven.stop()
      refused[UnsupportedOperationException](c.migrate(e => query(n)(e.dropDuplicates("key", "ts"))))(
        "the query has Deduplicate, an operator of Spark with state"
      )
    }
  }

  test("the state can be looked at when the query has started: before, nothing says how it is to be read") {
    changing(query(n)) { c =>
      c.driven.batch(at("a", 1, 1000))
      c.driven.stop()
      val to = Rescaled.folder()
      SparkWindowing.migrate(c.driven.checkpoint.toString, query(total, n)(c.driven.events), to.toString)
      refused[IllegalArgumentException](SparkWindowing.readState(spark, to.toString))("start the query once")
      c.to(query(total, n))
      c.driven.moveTo(to).batch(at("a", 2, 1000))
      assert(SparkWindowing.readState(spark, to.toString).count() == 1)
    }
  }

  test("a clock is added, and taken away") {
    val clocked: Query = events => query(n)(SparkWindowing.withClock(events, ofSeconds(1)))
    changing(query(n)) { c =>
      c.driven.batch(at("a", 1, 1000))
      assert(c.refused(clocked).contains("migrate"))
      c.to(query(n))
      c.driven.settle()
      c.migrate(clocked)
      c.driven.batch(at("a", 2, 2000))
      c.driven.clock.advance(5000)
      c.driven.settle()
      c.migrate(query(n))
      c.driven.batch(at("a", 4, 3000))
      assert(WindowText.of(c.driven.watermark(10000)) == Seq("a [0, 10000) 3"))
    }
  }

  test("a source more: which one is new must be said, and it takes rows from its beginning") {
    val more                         = memoryStream(Encoders.product[Event], spark)
    def other                        = more.toDF().drop("tick").withWatermark("ts", "0 seconds")
    def both(before: Boolean): Query = events => query(n)(if (before) other.union(events) else events.union(other))
    changing(query(n)) { c =>
      c.driven.batch(at("a", 1, 1000))
      more.addData(at("a", 2, 2000), at("b", 2, 3000), at("z", 2, 20000))
      c.driven.stop()
      refused[IllegalArgumentException](c.migrate(both(before = true)))(
        "sources = Some(Seq(Some(0), None))",
        "The checkpoint has 0: 0"
      )
      for (wrong <- Seq(Seq(Some(0)), Seq(Some(1), None), Seq(Some(0), Some(0))))
        refused[IllegalArgumentException](c.migrate(both(before = true), Some(wrong)))("each at most once")
      c.migrate(both(before = true), Some(Seq(None, Some(0))))
      assert(WindowText.of(c.driven.watermark(20000)) == Seq("a [0, 10000) 2", "b [0, 10000) 1"))
      c.migrate(query(n), Some(Seq(Some(1))))
      assert(WindowText.of(c.driven.watermark(30000)) == Seq("z [20000, 30000) 1"))
    }
  }

  test("a query that was migrated is another one, and the old one goes on as it was") {
    changing(query(n)) { c =>
      c.driven.batch(at("a", 1, 1000))
      val (old, id) = (c.driven.checkpoint, c.driven.running.id)
      c.migrate(query(n, total))
      assert(c.driven.running.id != id)
      c.driven.batch(at("a", 2, 1000))
      c.driven.stop()
      c.to(query(n))
      c.driven.moveTo(old)
      assert(WindowText.of(c.driven.watermark(10000)) == Seq("a [0, 10000) 2"), "it takes the row again")
      refused[IllegalArgumentException](
        SparkWindowing.migrate(old.toString, query(n, total)(c.driven.events), Rescaled.folder().toString)
      )("is running", "migrate")
      refused[IllegalArgumentException](
        SparkWindowing.migrate(Files.createTempDirectory("none").toString, query(n)(c.driven.events), "x")
      )("no complete micro-batch")
    }
  }
}
