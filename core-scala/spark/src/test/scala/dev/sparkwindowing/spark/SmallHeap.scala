package dev.sparkwindowing.spark

import dev.sparkwindowing.assigners.{SlidingEventTimeWindows, TumblingEventTimeWindows, WindowAssigner}
import dev.sparkwindowing.functions.{Collector, KeyedProcessFunction, ProcessWindowFunction}
import dev.sparkwindowing.spark.links.OperatorSetting
import dev.sparkwindowing.{KeyedStream, SparkWindowing}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Row}

import java.time.Duration.{ofHours, ofMillis, ofSeconds}

/** Puts out 300,000 bytes of texts for each element. */
final class Talking extends KeyedProcessFunction[Row, Row, Row] {
  def processElement(row: Row, ctx: KeyedProcessFunction.Context[Row], out: Collector[Row]): Unit =
    Talking.speak(row.getAs[Int]("value"), out)
}

/** Puts out 300,000 bytes of texts for each window. */
final class TalkingWindow extends ProcessWindowFunction[Row, Row, Row] {
  def process(key: Row, ctx: ProcessWindowFunction.Context, rows: Iterable[Row], out: Collector[Row]): Unit =
    Talking.speak(rows.head.getAs[Int]("value"), out)
}

object Talking {
  val Texts                = 300
  val All                  = -1
  val Schema: StructType   = StructType.fromDDL("value int, text string")
  private val text: String = "x" * 1000

  /** The texts for one value, or for all values at once. */
  def speak(value: Int, out: Collector[Row]): Unit =
    (1 to (if (value == All) Texts * SmallHeap.Rows else Texts)).foreach(_ => out.collect(Row(value, text)))
}

/** Queries in a JVM whose heap holds a small part of what one step of a key puts out. */
object SmallHeap {
  private lazy val spark = SharedSpark.session

  /** Rows of each input; all pairs of them, and all texts for them, take gigabytes. */
  val Rows = 1800

  private def keyed(df: DataFrame): KeyedStream = SparkWindowing.keyBy(df, Seq(col("key")), Some(col("ts")))

  private def rows(side: Int): DataFrame =
    spark
      .range(Rows.toLong)
      .select(lit("a").as("key"), lit(side).as("value"), timestamp_millis(col("id") * 1000).as("ts"))

  private def joined(a: DataFrame, b: DataFrame, windows: WindowAssigner[InternalRow]): DataFrame =
    SparkWindowing.join(keyed(a), keyed(b)).window(windows).inner()

  private def counted(value: String)(rows: DataFrame): Seq[Row] = rows.agg(count(lit(1)), sum(value)).collect().toSeq

  // The number of results of rows of one key, the even values on one side, and what ends all windows.
  private def streamed(operator: String, value: String)(build: (DataFrame, DataFrame) => DataFrame): Long = {
    val own = spark.newSession()
    own.conf.set(OperatorSetting.Name, operator)
    val query = new DrivenQuery(own, read = counted(value))(events => {
      def side(odd: Int) = events.where(col("value") % 2 === odd)
      build(side(0), side(1))
    }).start()
    try {
      val rows = query.batch((0 until 2 * Rows).map(i => Event.at("a", i, i.toLong)): _*)
      // A row of each input, since each has a watermark of its own.
      val ends = query.batch(Seq(0, 1).map(Event.at("b", _, ofHours(25).toMillis)): _*)
      (rows ++ ends).map(_.getLong(0)).sum
    } finally query.stop()
  }

  private def talking(rows: DataFrame): DataFrame = keyed(rows).process(new Talking, Talking.Schema)

  // One step fires all windows.
  private def talkingWindows(rows: DataFrame): DataFrame =
    keyed(rows).window(TumblingEventTimeWindows.of(ofMillis(2))).process(new TalkingWindow, Talking.Schema)

  def main(arguments: Array[String]): Unit = {
    OwnJvm.say(s"one firing ${joined(rows(0), rows(1), TumblingEventTimeWindows.of(ofHours(24))).count()}")
    // A window begins at each second: as many as rows and 19 more, each with 20 rows of each input or fewer.
    val sliding = SlidingEventTimeWindows.of(ofSeconds(20), ofSeconds(1))
    OwnJvm.say(s"many firings ${joined(rows(0), rows(1), sliding).count()}")
    OwnJvm.say(s"batch, rows ${counted("value")(talking(rows(0))).head.getLong(0)}")
    OwnJvm.say(s"batch, one call ${counted("value")(talking(rows(Talking.All).limit(1))).head.getLong(0)}")
    Seq("native", "portable").foreach { operator =>
      val pairs = streamed(operator, "left.value")(joined(_, _, TumblingEventTimeWindows.of(ofHours(24))))
      OwnJvm.say(s"$operator $pairs")
      OwnJvm.say(s"$operator, rows ${streamed(operator, "value")((even, _) => talking(even))}")
      OwnJvm.say(s"$operator, windows ${streamed(operator, "value")((even, _) => talkingWindows(even))}")
    }
    sys.exit(0)
  }
}
