package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.TumblingEventTimeWindows
import dev.sparkwindowing.columns.{ColumnProcess, Do}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration

/** A function over elements and timers that is written as columns. */
class ColumnProcessSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private def keyed(events: DataFrame)                            = SparkWindowing.keyBy(events, Seq(col("key")))
  private def process(function: ColumnProcess)(events: DataFrame) = keyed(events).process(function)
  private def emit(what: String, value: Column): Column           = struct(lit(what).as("what"), value.as("n"))
  private def counted(more: Column*): Column                      = struct((expr("state.n + 1").as("n") +: more): _*)
  private def refused(function: => ColumnProcess): String         = {
    val rows = spark.range(1).select(lit("a").as("key"), lit(1).as("value"), timestamp_millis(lit(0)).as("ts"))
    intercept[IllegalArgumentException](
      SparkWindowing.keyBy(rows, Seq(col("key")), Some(col("ts"))).process(function)
    ).getMessage
  }

  // The rows of a device are counted until it is silent for five seconds of event time or ten of the clock.
  private def silence = ColumnProcess.of(
    state = struct(lit(0).as("n")),
    onElement = Do.of(
      state = when(expr("row.value >= 0"), counted()).otherwise(col("state")),
      emit = when(expr("state.n = 2"), emit("third", expr("state.n"))),
      eventTimer = expr("row.ts + interval 5 seconds"),
      processingTimer = expr("ctx.processing_time + interval 10 seconds"),
      side =
        Seq("odd" -> when(expr("row.value < 0"), struct(expr("ctx.key.key").as("who"), expr("ctx.timestamp").as("at"))))
    ),
    onEventTimer = Do.of(
      state = lit(null),
      emit = emit("silent", expr("state.n")),
      processingTimer = lit(null)
    ),
    onProcessingTimer = Do.of(emit = array(emit("waits", expr("state.n")), emit("at", expr("unix_seconds(time)"))))
  )

  test("timers of both clocks fire on a running stream, also behind a restart, and a key cleared leaves no state") {
    val q = new DrivenQuery(spark)(process(silence))
    try {
      q.start()
      assert(q.batch(at("a", 1, 1000), at("a", 1, 3000)) == Nil)
      q.restart()
      assert(WindowText.of(q.batch(at("a", 1, 4000))) == Seq("a 4000 third 2"))
      q.clock.advance(10001)
      assert(WindowText.of(q.settle()) == Seq("a null at 1010", "a null waits 3"))
      assert(q.watermark(9000) == Nil, "not before the watermark has passed it")
      assert(WindowText.of(q.watermark(9001)) == Seq("a 9000 silent 3"))
      assert(q.running.lastProgress.stateOperators(0).numRowsTotal == 0)
      val anew = WindowText.of(q.batch(at("a", 1, 20000), at("a", 1, 1)))
      assert(anew == Seq("a 5001 silent 2"), "it begins anew, no row is late, and the last timer replaces the first")
    } finally q.stop()
  }

  test("rows of side outputs, and a window over the results") {
    val q = new DrivenQuery(spark)(events => SparkWindowing.allOutputs(process(silence)(events)))
    try {
      q.start()
      assert(WindowText.of(q.batch(at("a", -1, 1000))) == Seq("odd null (a 1000)"))
      assert(WindowText.of(q.watermark(7000)) == Seq("main (a 6000 silent 0) null"))
    } finally q.stop()
    val windows = new DrivenQuery(spark)(events =>
      keyed(process(silence)(events))
        .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
        .aggregate(count("*").as("alerts"))
    )
    try {
      windows.start()
      val early = windows.batch(at("a", 1, 1000), at("a", 1, 12000), at("b", 1, 2000))
      assert(WindowText.of(early ++ windows.watermark(30000)) == Seq("a [10000, 20000) 1", "b [0, 10000) 1"))
    } finally windows.stop()
  }

  test("on a static DataFrame rows come in order of time, and then all timers of event time") {
    import spark.implicits._
    val rows = Seq(("a", 1, 3000L), ("a", 1, 1000L), ("b", 1, 0L)).toDF("key", "value", "at")
    val df   = rows.select(col("key"), col("value"), timestamp_millis(col("at")).as("ts"))
    val out  = SparkWindowing.keyBy(df, Seq(col("key")), Some(col("ts"))).process(silence)
    assert(out.columns.toSeq == Seq("key", "event_time", "what", "n"))
    assert(WindowText.of(out.collect().toSeq) == Seq("a 8000 silent 2", "b 5000 silent 1"))
  }

  test("types are widened without loss: of the state to what the calls give, of results to those of all calls") {
    val function = ColumnProcess.of(
      state = struct(lit(0).as("n"), lit(null).as("last")),
      onElement = Do.of(
        state = struct(col("row.ts").as("last"), expr("state.n + bigint(1)").as("n")),
        emit = array(struct(lit(1).as("n"), lit("row").as("what")), lit(null)),
        eventTimer = expr("row.ts")
      ),
      onEventTimer = Do.of(
        state = struct(lit(1.toShort).as("n"), lit(null).as("last")),
        emit = struct(lit("timer").as("what"), expr("state.n").as("n"))
      )
    )
    import spark.implicits._
    val rows = Seq(("a", 1000L)).toDF("key", "at").select(col("key"), timestamp_millis(col("at")).as("ts"))
    val out  = SparkWindowing.keyBy(rows, Seq(col("key")), Some(col("ts"))).process(function)
    assert(out.schema.map(f => s"${f.name} ${f.dataType.sql}").drop(2) == Seq("n BIGINT", "what STRING"))
    assert(WindowText.of(out.collect().toSeq) == Seq("a 1000 1 row", "a 1000 1 timer"))
  }

  test("what does not fit is refused by name, before the query") {
    def element(results: Column, state: Column = null, timer: Column = null) =
      ColumnProcess.of(
        onElement = Do.of(emit = results, state = state, eventTimer = timer),
        state = struct(lit(0).as("n")),
        onEventTimer = if (timer == null) null else Do.of(emit = emit("a", lit(1)))
      )
    val result = emit("a", lit(1))
    assert(refused(element(lit(1))).contains("emit of onElement must be a struct or an array of structs, got INT"))
    assert(refused(element(lit(null))).contains("ColumnProcess has no result: give emit"))
    assert(
      refused(element(result, struct(lit("x").as("n"))))
        .contains("state gives 'n' as INT, and what the calls give has it as STRING")
    )
    assert(refused(element(result, lit(1))).contains("state of onElement must give a struct, got INT"))
    assert(refused(element(result, timer = lit("soon"))).contains("eventTimer of onElement must be a TIMESTAMP"))
    assert(refused(element(struct(lit(1).as("x")), timer = col("row.ts"))).contains("emit of onEventTimer must give"))
    assert(refused(element(struct(col("value")))).contains("col(\"row.value\")"))
    assert(refused(element(struct(lit(1).as("key")))).contains("two columns 'key'"))
    assert(refused(element(expr("row.value"), col("state"))).contains("got INT"))
    assert(
      refused(ColumnProcess.of(Do.of(emit = result, processingTimer = col("row.ts"))))
        .contains("onElement gives processingTimer, and nothing is done when it fires")
    )
    assert(
      refused(ColumnProcess.of(Do.of(emit = result), onEventTimer = Do.of(emit = result))).contains("is never called")
    )
    def byItself = ColumnProcess.of(Do.of(emit = result), onEventTimer = Do.of(emit = result, eventTimer = col("time")))
    assert(refused(byItself).contains("onEventTimer is never called"))
    assert(refused(ColumnProcess.of(Do.of(side = Seq("x" -> result, "x" -> result)))).contains("the tag \"x\" twice"))
    assert(refused(ColumnProcess.of(Do.of(emit = result, state = result))).contains("has none to begin with"))
    assert(refused(ColumnProcess.of(Do.of(emit = result), ttl = Duration.ofDays(1))).contains("there is none"))
    assert(
      refused(ColumnProcess.of(Do.of(side = Seq("x" -> lit(null))))).contains("side[\"x\"] is always null")
    )
    def living(ttl: Duration, clock: String = "event_time") =
      refused(ColumnProcess.of(Do.of(emit = result), result, ttl = ttl, ttlClock = clock))
    assert(living(Duration.ZERO).contains("ttl must be positive"))
    assert(living(Duration.ofDays(1), "clock").contains("ttlClock must be one of 'event_time', 'processing_time'"))
    val events = spark.readStream.format("rate").load()
    val e      = intercept[IllegalArgumentException](
      SparkWindowing
        .keyBy(events, Seq(col("value")))
        .process(ColumnProcess.of(Do.of(emit = result), result, ttl = Duration.ofDays(1)))
    )
    assert(e.getMessage.contains("ColumnProcess: ttl in event time") && e.getMessage.contains("needs a watermark"))
  }

  test("a failure names the call, the key and the column") {
    val q = new DrivenQuery(spark)(
      process(ColumnProcess.of(Do.of(emit = struct(expr("raise_error(row.key)").cast("int").as("n")))))
    )
    try {
      q.start()
      val e = intercept[Exception](q.batch(at("a", 1, 1000)))
      assert(e.getMessage.contains("ColumnProcess: on_element, Do(emit = "), e.getMessage)
      assert(e.getMessage.contains("failed for the key [a]"), e.getMessage)
    } finally q.stop()
  }

  private def living(ttl: Long, clock: String) = ColumnProcess.of(
    state = struct(lit(0).as("n")),
    onElement = Do.of(
      state = when(expr("row.value > 0"), counted()).otherwise(col("state")),
      emit = struct(expr("state.n")),
      eventTimer = when(expr("row.value > 1"), expr("row.ts + interval 7 seconds"))
    ),
    onEventTimer = Do.of(emit = struct((expr("state.n") * 100).as("n"))),
    ttl = Duration.ofMillis(ttl),
    ttlClock = clock
  )

  private def numbers(rows: Seq[Row]): Seq[String] = rows.map(_.getAs[Int]("n").toString).sorted

  test("state expires in event time: by the time of rows and timers, and its row is removed with the watermark") {
    val q = new DrivenQuery(spark)(process(living(10000, "event_time")))
    try {
      q.start()
      assert(numbers(q.batch(at("a", 1, 0), at("a", 1, 3000), at("a", 2, 12999))) == Seq("0", "1", "2"))
      assert(numbers(q.watermark(22000)) == Seq("300"))
      assert(numbers(q.batch(at("a", 1, 30000))) == Seq("0"), "anew, behind 22999")
      q.restart()
      assert(numbers(q.batch(at("b", 2, 31000))) == Seq("0"))
      assert(q.running.lastProgress.stateOperators(0).numRowsTotal == 2)
      assert(q.watermark(38000) == Nil)
      assert(numbers(q.watermark(40001)) == Seq("100"))
      assert(q.running.lastProgress.stateOperators(0).numRowsTotal == 1)
      q.watermark(41001)
      assert(q.running.lastProgress.stateOperators(0).numRowsTotal == 0)
    } finally q.stop()
  }

  test("state expires by the clock") {
    val q = new DrivenQuery(spark)(process(living(10000, "processing_time")))
    try {
      q.start()
      assert(numbers(q.batch(at("a", 1, 0))) == Seq("0"))
      q.clock.advance(9999)
      assert(numbers(q.batch(at("a", 1, 0))) == Seq("1"))
      q.restart()
      q.clock.advance(10000)
      assert(numbers(q.batch(at("a", 1, 0))) == Seq("0"))
      q.clock.advance(10001)
      q.settle()
      assert(q.running.lastProgress.stateOperators(0).numRowsTotal == 0)
    } finally q.stop()
  }

  test("changed columns on an old checkpoint are refused, and a changed type of the state") {
    var function                           = living(10000, "event_time")
    val q                                  = new DrivenQuery(spark)(events => process(function)(events))
    def changed(to: ColumnProcess): String = {
      function = to
      q.restart()
      intercept[Exception](q.batch(at("a", 1, 2000))).getMessage
    }
    try {
      q.start()
      q.batch(at("a", 1, 1000))
      q.restart()
      q.batch(at("a", 1, 2000))
      val shown = SparkWindowing.readState(spark, q.checkpoint.toString).collect()
      assert(shown.map(_.getAs[String]("state")).toSeq == Seq("""{"state":{"n":2}}"""))
      val other = changed(living(20000, "event_time"))
      assert(other.contains("ttl") && other.contains("10 s"), other)
      val types = changed(ColumnProcess.of(Do.of(emit = struct(expr("state.n"))), struct(lit(0L).as("n"))))
      assert(types.contains("struct<state:struct<n:int>>"), types)
    } finally q.stop()
  }
}
