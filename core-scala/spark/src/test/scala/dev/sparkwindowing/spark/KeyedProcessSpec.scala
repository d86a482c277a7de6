package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.functions.{
  Collector,
  KeyedProcessFunction,
  OutputTag,
  ReducingStateDescriptor,
  SideOutput,
  TimeDomain,
  ValueStateDescriptor
}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import java.lang.{Long => JLong}

/** Counts the rows of a device and emits the count five seconds of event time after its last row, and every ten seconds
  * of processing time. Negative rows go to `odd`.
  */
final class Silence extends KeyedProcessFunction[Row, Row, Row] {
  import KeyedProcessFunction._

  private val count = ReducingStateDescriptor[JLong]("count", (a, b) => a + b, ValueCodec.long)
  private val due   = ValueStateDescriptor[JLong]("due", ValueCodec.long)

  def processElement(row: Row, ctx: Context[Row], out: Collector[Row]): Unit =
    if (row.getAs[Int]("value") < 0) ctx.output(OutputTag[Row]("odd"), Row(ctx.currentKey.getString(0)))
    else {
      val timers = ctx.timerService
      ctx.state.getReducingState(count).add(1L)
      ctx.state.getState(due).value.foreach(t => timers.deleteEventTimeTimer(t))
      ctx.timestamp.foreach { t =>
        timers.registerEventTimeTimer(t + 5000)
        ctx.state.getState(due).update(t + 5000)
      }
      if (timers.currentProcessingTime != Long.MinValue)
        timers.registerProcessingTimeTimer((timers.currentProcessingTime / 10000 + 1) * 10000)
    }

  override def onTimer(time: Long, ctx: OnTimerContext[Row], out: Collector[Row]): Unit = {
    out.collect(Row(s"${ctx.timeDomain} $time", ctx.state.getReducingState(count).get.orNull))
    if (ctx.timeDomain == TimeDomain.EventTime) {
      ctx.state.getReducingState(count).clear()
      ctx.state.getState(due).clear()
    }
  }
}

/** A user's function over elements and timers, without windows. */
class KeyedProcessSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private val schema = StructType.fromDDL("why string, n bigint")
  private val odd    = SideOutput("odd", StructType.fromDDL("who string"))

  private def silence(events: DataFrame): DataFrame =
    SparkWindowing.keyBy(events, Seq(col("key"))).process(new Silence, schema, odd)

  test("timers of both clocks fire on a running stream, also behind a restart, and an empty key leaves no state") {
    val q = new DrivenQuery(spark)(silence)
    try {
      q.start()
      assert(q.batch(at("a", 1, 1000), at("a", 1, 3000)) == Nil)
      q.restart()
      assert(q.batch(at("a", 1, 4000)) == Nil, "the timer of 6000 and 8000 was deleted")
      q.clock.advance(10001)
      assert(WindowText.of(q.settle()) == Seq("a null ProcessingTime 1010000 3"))
      assert(q.watermark(9000) == Nil, "not before the watermark has passed it")
      assert(WindowText.of(q.watermark(9001)) == Seq("a 9000 EventTime 9000 3"))
      assert(q.running.lastProgress.stateOperators(0).numRowsTotal == 0)
    } finally q.stop()
  }

  test("side outputs, and no window in the result") {
    val q = new DrivenQuery(spark)(events => SparkWindowing.allOutputs(silence(events)))
    try {
      q.start()
      assert(WindowText.of(q.batch(at("a", -1, 1000))) == Seq("odd null (a)"))
      q.batch(at("b", 1, 1000))
      assert(WindowText.of(q.watermark(7000)) == Seq("main (b 6000 EventTime 6000 1) null"))
    } finally q.stop()
  }

  test("on a static DataFrame rows come in order of time, and then all timers of event time") {
    import spark.implicits._
    val rows = Seq(("a", 1, 3000L), ("a", 1, 1000L), ("b", 1, 0L)).toDF("key", "value", "at")
    val df   = rows.select(col("key"), col("value"), timestamp_millis(col("at")).as("ts"))
    val out  = SparkWindowing.keyBy(df, Seq(col("key")), Some(col("ts"))).process(new Silence, schema, odd)
    assert(out.columns.toSeq == Seq("key", "event_time", "why", "n"))
    assert(WindowText.of(out.collect().toSeq) == Seq("a 8000 EventTime 8000 2", "b 5000 EventTime 5000 1"))
  }

  test("another function on an old checkpoint is refused, other arguments of one are not") {
    var function: KeyedProcessFunction[Row, Row, Row] = new Remember("one")
    val q                                             =
      new DrivenQuery(spark)(SparkWindowing.keyBy(_, Seq(col("key"))).process(function, schema))
    try {
      q.start()
      q.batch(at("a", 1, 1000))
      function = new Remember("two")
      q.restart()
      q.batch(at("a", 1, 2000))
      function = new Forget
      q.restart()
      val e = intercept[Exception](q.batch(at("a", 1, 3000)))
      assert(e.getMessage.contains("functions.1: was Remember, is Forget"), e.getMessage)
    } finally q.stop()
  }
}

/** Keeps a text. */
final class Remember(text: String) extends KeyedProcessFunction[Row, Row, Row] {
  def processElement(row: Row, ctx: KeyedProcessFunction.Context[Row], out: Collector[Row]): Unit =
    ctx.state.getState(ValueStateDescriptor("x", ValueCodec.string)).update(text)
}

/** Keeps nothing. */
final class Forget extends KeyedProcessFunction[Row, Row, Row] {
  def processElement(row: Row, ctx: KeyedProcessFunction.Context[Row], out: Collector[Row]): Unit = ()
}
