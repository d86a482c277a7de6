package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.GlobalWindows
import dev.sparkwindowing.columns.{ColumnDelta, ColumnTrigger}
import dev.sparkwindowing.interop.ClassParts
import dev.sparkwindowing.triggers.{
  AnyTrigger,
  ContinuousEventTimeTrigger,
  CountTrigger,
  EndOfStreamTrigger,
  MicroBatchTrigger,
  OnceTrigger,
  PurgingTrigger,
  Trigger,
  TriggerContext,
  TriggerMemory,
  TriggerResult
}
import dev.sparkwindowing.windows.Window
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.{Files, Paths}
import java.time.Duration.ofSeconds

/** Lets every `n`-th firing of another trigger through: a composite as users write them. */
final class EveryNthFiring(inner: Trigger[Row], n: Int) extends Trigger[Row] {
  private val firings = inner.memory.numbers.size

  override def memory: TriggerMemory                               = inner.memory ++ TriggerMemory.number("firings")
  override def nested: Seq[Trigger[Row]]                           = Seq(inner)
  override def withNested(nested: Seq[Trigger[Row]]): Trigger[Row] = new EveryNthFiring(nested.head, n)

  def onElement(row: Row, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult =
    counted(inner.onElement(row, timestamp, window, ctx), ctx)
  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    counted(inner.onEventTime(time, window, ctx), ctx)
  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    counted(inner.onProcessingTime(time, window, ctx), ctx)

  override def firesByMicroBatch: Boolean                                       = inner.firesByMicroBatch
  override def onMicroBatch(window: Window, ctx: TriggerContext): TriggerResult =
    counted(inner.onMicroBatch(window, ctx), ctx)

  private def counted(result: TriggerResult, ctx: TriggerContext): TriggerResult =
    if (!result.isFire) result
    else {
      ctx.setNumber(firings, ctx.number(firings) + 1)
      if (ctx.number(firings) % n == 0) result else TriggerResult.Continue
    }

  def clear(window: Window, ctx: TriggerContext): Unit = {
    inner.clear(window, ctx)
    ctx.clearNumber(firings)
  }
}

/** Nests another trigger and does not pass the end of a micro-batch on. */
final class SilentTrigger(inner: Trigger[Row]) extends Trigger[Row] {
  override def nested: Seq[Trigger[Row]]                           = Seq(inner)
  override def withNested(nested: Seq[Trigger[Row]]): Trigger[Row] = new SilentTrigger(nested.head)

  def onElement(row: Row, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult =
    inner.onElement(row, timestamp, window, ctx)
  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult      = TriggerResult.Continue
  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = TriggerResult.Continue
  def clear(window: Window, ctx: TriggerContext): Unit                                 = inner.clear(window, ctx)
}

/** Holds another trigger and does not say so. */
final class ClosedTrigger(inner: Trigger[Row]) extends Trigger[Row] {
  def onElement(row: Row, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult =
    inner.onElement(row, timestamp, window, ctx)
  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult      = TriggerResult.Continue
  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = TriggerResult.Continue
  def clear(window: Window, ctx: TriggerContext): Unit                                 = inner.clear(window, ctx)
}

/** Triggers of users that nest others: bound to columns, compared, refused and named as the built-in ones are. */
class NestedPartsSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private val values = collect_list("value").as("values")

  private def made(name: String, args: Object*): Trigger[InternalRow] =
    ClassParts.make(s"dev.sparkwindowing.spark.$name", java.util.Arrays.asList(args: _*)) match {
      case trigger: Trigger[InternalRow @unchecked] => trigger
      case other                                    => fail(s"$other is no trigger")
    }

  private def every(n: Int, inner: Object) = made("EveryNthFiring", inner, Integer.valueOf(n))

  private def firing(trigger: Trigger[InternalRow]): DataFrame => DataFrame =
    SparkWindowing.keyBy(_, Seq(col("key"))).window(GlobalWindows.create()).trigger(trigger).aggregate(values)

  private def driven(trigger: Trigger[InternalRow])(check: DrivenQuery => Unit): Unit = {
    val q = new DrivenQuery(spark)(firing(trigger))
    try {
      q.start()
      check(q)
    } finally q.stop()
  }

  test("a trigger of columns inside a user's one, inside a built-in one, over a restart") {
    val odd = ColumnTrigger.when(col("value") % 2 === 1)
    for (inner <- Seq[Trigger[InternalRow]](odd, PurgingTrigger.of(odd)))
      driven(OnceTrigger.of(every(2, inner))) { q =>
        assert(q.batch(at("a", 1, 1000), at("a", 2, 1000)) == Nil)
        q.restart()
        assert(
          WindowText.of(q.batch(at("a", 4, 2000), at("a", 5, 2000), at("a", 7, 2000), at("a", 9, 2000))) == Seq(
            "a null [1 2 4 5]"
          )
        )
      }
  }

  test("a trigger that remembers rows inside a user's one") {
    val rising = ColumnDelta.trigger(10, expr("new.value - old.value"))
    driven(every(2, rising)) { q =>
      assert(q.batch(at("a", 0, 1000), at("a", 11, 1000)) == Nil)
      q.restart()
      assert(WindowText.of(q.batch(at("a", 20, 2000), at("a", 22, 2000))) == Seq("a null [0 11 20 22]"))
    }
  }

  test("a user's one inside another user's one") {
    driven(every(2, every(2, CountTrigger.of(1)))) { q =>
      assert(q.batch((1 to 3).map(at("a", _, 1000)): _*) == Nil)
      assert(WindowText.of(q.batch(at("a", 4, 1000))) == Seq("a null [1 2 3 4]"))
    }
  }

  test("a trigger by micro-batches inside a user's one") {
    driven(every(2, MicroBatchTrigger.create())) { q =>
      assert(q.batch(at("a", 1, 1000), at("a", 2, 1000)) == Nil)
      q.restart()
      assert(WindowText.of(q.batch(at("a", 3, 1000), at("a", 4, 1000))) == Seq("a null [1 2 3 4]"))
    }
  }

  test("a user's trigger that does not pass the end of a micro-batch on is refused by name") {
    val micro = MicroBatchTrigger.create()
    for (silent <- Seq(made("SilentTrigger", micro), AnyTrigger.of(CountTrigger.of(3), made("SilentTrigger", micro)))) {
      val e = intercept[UnsupportedOperationException](firing(silent)(events))
      assert(
        e.getMessage.contains("MicroBatchTrigger inside dev.sparkwindowing.spark.SilentTrigger(MicroBatchTrigger)") &&
          e.getMessage.contains("must override firesByMicroBatch"),
        e.getMessage
      )
    }
  }

  test("what it nests is compared at a restart, with the path") {
    def of(count: Long): DataFrame => DataFrame         = firing(every(2, CountTrigger.of(count)))
    def when(condition: String): DataFrame => DataFrame = firing(every(2, ColumnTrigger.when(expr(condition))))
    Changing(spark)(of(3)) { c =>
      c.driven.batch(at("a", 1, 1000))
      assert(c.refused(of(5)).contains("trigger.1.maxCount: was 3, is 5"))
      assert(c.refused(firing(every(3, CountTrigger.of(3)))).contains("trigger.2: was 2, is 3"))
      c.to(of(3))
    }
    Changing(spark)(when("value > 3")) { c =>
      c.driven.batch(at("a", 1, 1000))
      val error = c.refused(when("value > 5"))
      assert(error.contains("trigger.1.column: was (value > 3), is (value > 5)"), error)
      c.to(when("value > 3"))
    }
  }

  test("an endless trigger inside it is refused") {
    val query = new DrivenQuery(spark)(firing(every(2, EndOfStreamTrigger.create())))
    val error = intercept[Exception](try {
      query.start(); query.batch(at("a", 1, 1000))
    } finally query.stop())
    val text = Iterator.iterate[Throwable](error)(_.getCause).takeWhile(_ != null).map(_.getMessage).mkString
    assert(text.contains("EndOfStreamTrigger on a stream: a stream never ends"), text)
    import spark.implicits._
    val rows    = Seq(("a", 1, 1000L)).toDF("key", "value", "ms").withColumn("ts", timestamp_millis(col("ms")))
    val static  = SparkWindowing.keyBy(rows, Seq(col("key")), Some(col("ts"))).window(GlobalWindows.create())
    val endless = intercept[IllegalArgumentException] {
      static.trigger(every(2, ContinuousEventTimeTrigger.of(ofSeconds(1)))).aggregate(values).collect()
    }
    assert(endless.getMessage.contains("would fire without end"))
  }

  test("its memory has names in read_state") {
    val sliding = firing(every(2, PurgingTrigger.of[InternalRow](CountTrigger.of(3))))
    val q       = new DrivenQuery(spark)(sliding)
    try {
      q.start()
      q.batch((1 to 4).map(at("a", _, 1000)): _*)
      val state = SparkWindowing.readState(spark, q.checkpoint.toString).select("trigger").collect().map(_.getString(0))
      assert(state.toSeq == Seq("""{"count":1,"firings":1}"""))
    } finally q.stop()
  }

  test("one that does not say what it holds is refused, with its class and the line to write") {
    def refusal(name: String) =
      intercept[IllegalArgumentException](firing(made(name, CountTrigger.of(3)))(events)).getMessage
    val scala = refusal("ClosedTrigger")
    assert(scala.contains("holds CountTrigger(3) and does not say so: override nested and withNested in"), scala)
    assert(
      scala.contains("in dev.sparkwindowing.spark.ClosedTrigger, such as override def nested: Seq[Trigger[Row]]"),
      scala
    )
    val java = refusal("ClosedJavaTrigger")
    assert(java.contains("in dev.sparkwindowing.spark.ClosedJavaTrigger, such as "), java)
    val line = java.split("such as ").last
    assert(Files.readString(OpenJavaTrigger).contains(line), line)
    driven(made("OpenJavaTrigger", CountTrigger.of(2))) { q =>
      assert(WindowText.of(q.batch(at("a", 1, 1000), at("a", 2, 1000))) == Seq("a null [1 2]"))
    }
  }

  private def OpenJavaTrigger = Paths
    .get(sys.props("scenarios"))
    .resolve(
      "../../core-scala/spark/src/test/java/dev/sparkwindowing/spark/OpenJavaTrigger.java"
    )

  private def events: DataFrame = {
    import spark.implicits._
    Seq(("a", 1, 1000L)).toDF("key", "value", "ms").withColumn("ts", timestamp_millis(col("ms")))
  }
}
