package dev.sparkwindowing.spark.realtime

import dev.sparkwindowing.assigners._
import dev.sparkwindowing.columns.AggregateTrigger
import dev.sparkwindowing.evictors.CountEvictor
import dev.sparkwindowing.simulation.{Simulation, SimulationStep}
import dev.sparkwindowing.spark._
import dev.sparkwindowing.spark.plan.{PreAggregation, RealTimeMode, StateLimits, StateStoreRules, WindowNode}
import dev.sparkwindowing.spark.relocated.SinceSpark4
import dev.sparkwindowing.spark.task.{ProgramInTask, StateSizes, TaskPool, TimerIndex, WindowTask}
import dev.sparkwindowing.triggers._
import dev.sparkwindowing.watermarks.{WatermarkOutput, WatermarkValve}
import dev.sparkwindowing.{KeyedStream, SparkWindowing, WindowedStream}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, Project}
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.execution.streaming.state.StateStoreProvider
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Row, SparkWindowingBridge}
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.time.Duration.ofMillis
import java.util.UUID
import scala.util.Random

/** Windows in real-time mode, row by row over a state store of Spark: in each step the rows of a simulation that has a
  * step for each row.
  */
class LiveTaskSpec extends AnyFunSuite with SharedSpark {
  import LiveTaskSpec._

  spark.streams // makes the coordinator that a store asks

  private val keyed: KeyedStream =
    SparkWindowing.keyBy(new DrivenQuery(spark)(identity).events, Seq(col("key")), Some(col("ts")))

  private def sums(windows: WindowedStream): DataFrame =
    windows.aggregate(count(lit(1)).as("n"), sum("value").as("total"))

  private def lists(windows: WindowedStream): DataFrame = windows.aggregate(collect_list("value").as("all"))

  private val ten     = TumblingEventTimeWindows.of(ofMillis(10))
  private val sliding = SlidingEventTimeWindows.of(ofMillis(30), ofMillis(7))
  private val gap     = EventTimeSessionWindows.withGap(ofMillis(6))

  private val declared: Seq[(String, DataFrame)] = Seq(
    "tumbling windows"              -> sums(keyed.window(ten)),
    "sliding windows, by slices"    -> sums(keyed.window(sliding)),
    "sessions, with lists"          -> lists(keyed.window(gap)),
    "sessions of a greatest length" -> sums(keyed.window(gap.withMaxLength(ofMillis(9)))),
    "over windows"                  -> sums(keyed.window(OverEventTimeWindows.preceding(ofMillis(8)))),
    "count windows"                 -> sums(keyed.countWindow(3)),
    "lateness, late rows and panes" -> sums(
      keyed.window(ten).allowedLateness(ofMillis(12)).sideOutputLateData("late").withPane()
    ),
    "a continuous trigger"   -> sums(keyed.window(ten).trigger(ContinuousEventTimeTrigger.of(ofMillis(4)))),
    "early and late firings" -> sums(
      keyed
        .window(sliding)
        .trigger(AfterWatermark.of(CountTrigger.of(2)))
        .allowedLateness(ofMillis(9))
    ),
    "an evictor"                 -> sums(keyed.window(ten).evictor(CountEvictor.of(2))),
    "windows of processing time" -> sums(keyed.window(TumblingProcessingTimeWindows.of(ofMillis(10)))),
    "changes"                    -> sums(keyed.window(ten).allowedLateness(ofMillis(12)).changelog(before = true)),
    "firings that repeat others" -> sums(
      keyed.window(ten).trigger(CountTrigger.of(1)).evictor(CountEvictor.of(1)).collapseFirings()
    ),
    "windows without rows" -> sums(keyed.window(ten).fillEmpty(ofMillis(40))),
    "several names"        -> sums(keyed.windows("ten" -> ten, "gap" -> gap, "three" -> CountWindows.of(3))),
    "a trigger that sees the aggregate" -> sums(keyed.window(ten).trigger(AggregateTrigger.of(col("total") > 12)))
  )

  for (((name, result), number) <- declared.zipWithIndex) test(s"the rows of a simulation, step by step: $name") {
    for (seed <- 0 until 6) compare(result, random(10 * number + seed), s"$name, seed $seed")
  }

  private def random(seed: Int): Seq[Event] = {
    val random = new Random(seed.toLong)
    var time   = 0L
    var clock  = 0L
    Clock(0) +: Seq.fill(120) {
      random.nextInt(10) match {
        case 0 | 1 => Told(random.nextInt(2), time - random.nextInt(8))
        case 2     =>
          if (random.nextInt(4) == 0) Told(random.nextInt(2), silent) else Told(random.nextInt(2), time)
        case 3 =>
          clock += 2 * random.nextInt(6) // windows of ten begin as they do a millisecond later
          Clock(clock)
        case 4 if random.nextInt(4) == 0 => NextBatch(isRestart = random.nextBoolean())
        case _                           =>
          time += random.nextInt(5)
          Arrived(s"k${random.nextInt(3)}", random.nextInt(9), time - random.nextInt(14))
      }
    }
  }

  private def compare(result: DataFrame, events: Seq[Event], clue: String): Unit = {
    // The watermark of both tasks, as the steps of a simulation tell it.
    var reached = Long.MinValue
    var valve   = newValve()
    val steps   = events.map {
      case Arrived(key, value, ts) => SimulationStep.element(key, value, ts)
      case Clock(now)              =>
        valve.inputActive(0)
        SimulationStep.processingTime(now)
      case NextBatch(isRestart) =>
        if (isRestart) valve = newValve()
        SimulationStep.snapshotRestore()
      case Told(task, watermark) =>
        if (watermark == silent) valve.inputIdle(task)
        else {
          valve.inputActive(task)
          valve.inputWatermark(task, watermark)
        }
        reached = math.max(reached, valve.watermark)
        if (reached == Long.MinValue) SimulationStep.snapshotRestore() else SimulationStep.watermark(reached)
    }
    val run      = SparkWindowing.simulate(result, steps: _*)
    val expected = run.main.collect().toSeq.groupBy(_.getInt(0)).map { case (step, rows) =>
      step -> WindowText.of(rows.map(row => withoutClock(row.toSeq.drop(1))))
    }
    val live = new Live(result, events)
    try {
      val got = events.indices.flatMap { i =>
        val rows = WindowText.of(live.step(i))
        if (rows.isEmpty) None else Some(i -> rows)
      }.toMap
      assert(got == expected, clue)
    } finally live.close()
  }

  // A pane without the time at which it fired.
  private def withoutClock(values: Seq[Any]): Row = Row.fromSeq(values.map {
    case Row(timing: String, number, isLast, _, replaced) => Row(timing, number, isLast, replaced)
    case other                                            => other
  })

  private def newValve() = new WatermarkValve(
    2,
    new WatermarkOutput {
      def emitWatermark(watermark: Long): Unit = ()
      def markIdle(): Unit                     = ()
      def markActive(): Unit                   = ()
    }
  )

  private val silent = InBandColumns.silent(RealTimeMode.Default.idleTimeout + 1, hadRow = true)

  /** The operator of a result over the events, as a task has it. */
  private final class Live(result: DataFrame, events: Seq[Event]) {
    private val node: WindowNode = Simulation.operatorOf(result)
    private val path             = PreAggregation.ofSession(node.program)
    private val program = node.program.over(path.over(node.program.plan), node.program.computation, node.program.input)
    private val isNumbered = path.isInstanceOf[PreAggregation.RowByRow] && program.plan.needsOrder
    private val columns    = node.child.output
    private val inBand     = new InBandColumns(columns.map(_.dataType).toArray)
    private val keys       = columns.take(program.input.keyCount)
    private val schema     = program.output.all(isStreaming = false)
    private val shown      = program.output.main(isStreaming = false)
    private val toRow      = CatalystTypeConverters.createToScalaConverter(schema)

    private val rows: Map[Int, InternalRow] = {
      val arrived                 = events.zipWithIndex.collect { case (a: Arrived, i) => i -> a }
      val Project(columns, input) = Simulation.projectionUnder(node)
      val values                  = LocalRelation.fromExternalRows(
        input.output,
        arrived.map { case (_, a) => Row(a.key, a.value, new java.sql.Timestamp(a.ts)) }
      )
      val all =
        SparkWindowingBridge.toDataFrame(spark, Project(columns, values)).queryExecution.toRdd.map(_.copy()).collect()
      arrived.map(_._1).zip(all).toMap
    }

    private val provider: StateStoreProvider = SinceSpark4.stateOf(
      spark,
      Files.createTempDirectory("state").toString,
      partition = 0,
      StructType(keys.map(a => org.apache.spark.sql.types.StructField(a.name, a.dataType)))
    )

    private var now     = 0L
    private var version = 0L
    private var memory  = newMemory()
    private var reached = Long.MinValue
    private var store   = provider.getStore(0)
    private var task    = newTask()

    private def newMemory() = new LiveMemory(new TimerIndex(keys.size, Long.MaxValue))

    private def newTask() = new LiveTask(
      new WindowTask(new ProgramInTask(program, columns.size + (if (isNumbered) 1 else 0)), rowsFirst = false),
      keys,
      columns ++ InBandColumns.attributes(),
      inBand,
      isNumbered,
      store,
      StateStoreRules.ofSession,
      new LiveKeys(store, maxBytes = 700), // fewer than there are keys
      version,
      memory,
      reached,
      new StateSizes(StateLimits.ofSession, TaskPool.Operator(UUID.randomUUID(), 0)),
      RealTimeMode.Default,
      () => now + 1 // a timer fires one millisecond after its time
    )

    def step(i: Int): Seq[Row] = {
      val input = events(i) match {
        case _: Arrived            => Some(inBand.withoutWatermark()(rows(i)).copy())
        case Told(task, watermark) => Some(new inBand.Watermarks(task, 2, 1)(watermark)(0))
        case Clock(time)           =>
          now = time
          Some(new inBand.Watermarks(0, 2, 1)(Long.MinValue)(0))
        case NextBatch(isRestart) =>
          next(isRestart)
          None
      }
      task.rows(input.iterator).map(row => toRow(row.copy()).asInstanceOf[Row]).flatMap(main).toList
    }

    private def main(row: Row): Option[Row] = {
      val isMain = shown.size == schema.size || row.isNullAt(shown.size)
      if (isMain) Some(withoutClock(row.toSeq.take(shown.size))) else None
    }

    private def next(isRestart: Boolean): Unit = {
      task.finish()
      reached = task.watermark
      store.commit()
      version += 1
      store = provider.getStore(version)
      if (isRestart) memory = newMemory()
      task = newTask()
    }

    def close(): Unit = {
      store.abort()
      provider.close()
    }
  }
}

object LiveTaskSpec {
  sealed trait Event
  final case class Arrived(key: String, value: Int, ts: Long) extends Event

  /** A watermark of a source task. */
  final case class Told(task: Int, watermark: Long) extends Event
  final case class Clock(now: Long)                 extends Event

  /** The end of a micro-batch, and the next one, of the same run or another. */
  final case class NextBatch(isRestart: Boolean) extends Event
}
