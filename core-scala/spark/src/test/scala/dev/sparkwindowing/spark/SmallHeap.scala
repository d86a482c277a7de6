package dev.sparkwindowing.spark

import dev.sparkwindowing.assigners.{SlidingEventTimeWindows, TumblingEventTimeWindows, WindowAssigner}
import dev.sparkwindowing.functions.{Collector, KeyedProcessFunction}
import dev.sparkwindowing.spark.links.OperatorSetting
import dev.sparkwindowing.{KeyedStream, SparkWindowing}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Row}

import java.time.Duration.{ofHours, ofSeconds}

/** Puts out half a gigabyte of texts in one call. */
final class Talking extends KeyedProcessFunction[Row, Row, Row] {
  def processElement(row: Row, ctx: KeyedProcessFunction.Context[Row], out: Collector[Row]): Unit =
    (1 to Talking.Texts).foreach(_ => out.collect(Row(row.getAs[Int]("side"), Talking.Text)))
}

object Talking {
  val Texts              = 540000
  val Text: String       = "x" * 1000
  val Schema: StructType = StructType.fromDDL("value int, text string")
}

/** Queries in a JVM whose heap holds a small part of what they put out. */
object SmallHeap {
  private lazy val spark = SharedSpark.session

  /** Rows of each input; all pairs of them take gigabytes. */
  val Rows = 1800

  private def keyed(df: DataFrame): KeyedStream = SparkWindowing.keyBy(df, Seq(col("key")), Some(col("ts")))

  private def rows(side: Int): DataFrame =
    spark
      .range(Rows.toLong)
      .select(lit("a").as("key"), lit(side).as("side"), timestamp_millis(col("id") * 1000).as("ts"))

  private def joined(a: DataFrame, b: DataFrame, windows: WindowAssigner[InternalRow]): DataFrame =
    SparkWindowing.join(keyed(a), keyed(b)).window(windows).inner()

  private def counted(pairs: DataFrame): Seq[Row] = pairs.agg(count(lit(1)), sum("left.value")).collect().toSeq

  // One window has all rows. Even values are of the left input, odd ones of the right one.
  private def streamed(operator: String): Long = {
    val own = spark.newSession()
    own.conf.set(OperatorSetting.Name, operator)
    val query = new DrivenQuery(own, read = counted)(events => {
      def side(odd: Int) = events.where(col("value") % 2 === odd)
      joined(side(0), side(1), TumblingEventTimeWindows.of(ofHours(24)))
    }).start()
    try {
      query.batch((0 until 2 * Rows).map(i => Event.at("a", i, i.toLong)): _*)
      // A row of each input, since each has a watermark of its own.
      query.batch(Seq(0, 1).map(Event.at("b", _, ofHours(25).toMillis)): _*).map(_.getLong(0)).sum
    } finally query.stop()
  }

  def main(arguments: Array[String]): Unit = {
    OwnJvm.say(s"one firing ${joined(rows(0), rows(1), TumblingEventTimeWindows.of(ofHours(24))).count()}")
    // A window begins at each second: as many as rows and 19 more, each with 20 rows of each input or fewer.
    val sliding = SlidingEventTimeWindows.of(ofSeconds(20), ofSeconds(1))
    OwnJvm.say(s"many firings ${joined(rows(0), rows(1), sliding).count()}")
    val talking = keyed(rows(0).limit(1)).process(new Talking, Talking.Schema)
    OwnJvm.say(s"one call ${talking.agg(count(lit(1)), max("text")).head().getLong(0)}")
    Seq("native", "portable").foreach(operator => OwnJvm.say(s"$operator ${streamed(operator)}"))
    sys.exit(0)
  }
}
