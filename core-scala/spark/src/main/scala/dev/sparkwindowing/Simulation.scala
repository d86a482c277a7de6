package dev.sparkwindowing

import dev.sparkwindowing.operator.StateCell
import dev.sparkwindowing.spark.exec.{NoEventTime, TaskCounters, WindowTask}
import dev.sparkwindowing.spark.plan.WindowNode
import dev.sparkwindowing.windows.{TimeWindow, Window}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.functions.{col, struct, to_json}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, SparkWindowingBridge}

import scala.collection.mutable
import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

/** Runs a windowed query over events given one by one, with the operator that a stream uses but without a stream.
  *
  * Elements, watermarks and clock follow Flink's test harness: a timer fires when the watermark or the clock reaches
  * it; both start unset.
  */
private[sparkwindowing] final class Simulation(result: DataFrame, elements: DataFrame) {
  import Simulation._

  private[this] val node     = operatorOf(SparkWindowingBridge.analyzedPlan(result))
  private[this] val program  = node.program
  private[this] val keyCount = program.input.keyCount
  private[this] val rows     = inputRows()
  private[this] val keyOf    = UnsafeProjection.create(program.input.types.take(keyCount))
  private[this] val states   = mutable.LinkedHashMap.empty[UnsafeRow, KeyMemory]
  private[this] val produced = ArrayBuffer.empty[(Int, InternalRow)]
  private[this] val cleared  = ArrayBuffer.empty[(Int, InternalRow, Window)]
  private[this] val timers   = ArrayBuffer.empty[(Int, Int)]

  private[this] var step           = 0
  private[this] var key: UnsafeRow = _
  private[this] var watermark      = Long.MinValue
  private[this] var processingTime = Long.MinValue
  private[this] val task           =
    new WindowTask(program, false, program.input.types.length, new TaskCounters, w => cleared += ((step, key, w)))

  def run(kinds: Seq[String], values: Seq[Long]): SimulationRun = {
    kinds.zip(values).foreach { case (kind, value) =>
      kind match {
        case "element"          => takeElement(value.toInt)
        case "watermark"        => advanceWatermark(value)
        case "processing_time"  => advanceProcessingTime(value)
        case "snapshot_restore" => () // the state of a key is its written block between any two events
        case other              => throw new IllegalArgumentException(s"a step of a simulation cannot be '$other'")
      }
      timers += ((states.values.map(_.eventTimers).sum, states.values.map(_.processingTimers).sum))
      step += 1
    }
    new SimulationRun(result.sparkSession, node, produced.toSeq, cleared.toSeq, timers.toSeq)
  }

  private def takeElement(number: Int): Unit =
    try call(keyOf(rows(number)).copy(), Iterator(rows(number)), watermark, Long.MinValue)
    catch {
      case e: NoEventTime =>
        val json  = to_json(struct(col("*")), Map("ignoreNullFields" -> "false").asJava)
        val shown = elements.select(json).collect()(number).getString(0)
        throw new IllegalArgumentException(s"step $step, element $shown: ${e.getMessage}")
    }

  private def advanceWatermark(value: Long): Unit =
    if (value > watermark) {
      val before = watermark
      watermark = value
      val due = states.toSeq.filter(_._2.nextEventTimer <= value).sortBy(_._2.nextEventTimer).map(_._1)
      due.foreach(k => call(k, Iterator.empty, before, Long.MinValue))
    }

  private def advanceProcessingTime(value: Long): Unit = {
    processingTime = value
    val due = states.toSeq.filter(_._2.nextProcessingTimer <= value).sortBy(_._2.nextProcessingTimer).map(_._1)
    due.foreach(k => call(k, Iterator.empty, watermark, value))
  }

  private def call(k: UnsafeRow, input: Iterator[InternalRow], before: Long, due: Long): Unit = {
    key = k
    val memory = states.getOrElseUpdate(k, new KeyMemory)
    produced ++= task.run(k, input, memory.cell(watermark, before, processingTime, due)).map(r => (step, r))
    if (memory.isEmpty) states.remove(k)
  }

  // The projection under the operator, over the given elements in place of the source.
  private def inputRows(): Array[InternalRow] = {
    val Project(list, source) = projectionUnder(node)
    val supplied              = SparkWindowingBridge.analyzedPlan(elements)
    if (supplied.schema.fieldNames.toSeq != source.schema.fieldNames.toSeq)
      throw new IllegalArgumentException(
        s"elements have the columns ${supplied.schema.fieldNames.mkString(", ")}, the input of the query has " +
          source.schema.fieldNames.mkString(", ")
      )
    val replaced = AttributeMap(source.output.zip(supplied.output))
    val columns  = list.map(_.transform { case a: Attribute =>
      replaced.getOrElse(a, a)
    }.asInstanceOf[NamedExpression])
    SparkWindowingBridge.collectRows(elements.sparkSession, Project(columns, supplied))
  }
}

private[sparkwindowing] object Simulation {

  /** The columns of the DataFrame given to `keyBy`. */
  def inputSchema(result: DataFrame): StructType =
    projectionUnder(operatorOf(SparkWindowingBridge.analyzedPlan(result))).child.schema

  private def projectionUnder(node: WindowNode): Project = node.child match {
    case projection: Project => projection
    case other => throw new IllegalStateException(s"the operator stands on ${other.nodeName}, not on a projection")
  }

  private def operatorOf(plan: LogicalPlan): WindowNode = {
    val node = plan match {
      case Project(columns, Filter(_: IsNull, rows)) if columns.forall(isColumn) => putOutBy(rows)
      case Project(columns, rows) if columns.forall(isColumn)                    => putOutBy(rows)
      case _                                                                     => None
    }
    node.filterNot(_.child.exists(_.isInstanceOf[WindowNode])).getOrElse {
      throw new IllegalArgumentException(
        "simulate takes the result of one window exactly as .aggregate(..) gave it back: apply select, filter and the like " +
          "to what the run puts out, and simulate windows over windows one by one"
      )
    }
  }

  // The operator whose rows these are, or those of the function behind it.
  private def putOutBy(rows: LogicalPlan): Option[WindowNode] = rows match {
    case node: WindowNode  => Some(node)
    case Project(_, stage) => stage.children.collectFirst { case n: WindowNode if n.program.staged.nonEmpty => n }
    case _                 => None
  }

  private def isColumn(e: NamedExpression): Boolean = e match {
    case Alias(_: Attribute, _) | _: Attribute => true
    case _                                     => false
  }

  /** What is kept of a key between two events. */
  private final class KeyMemory {
    private[this] var block: Array[Byte] = _
    var nextEventTimer: Long             = StateCell.NoTimer
    var nextProcessingTimer: Long        = StateCell.NoTimer
    var eventTimers: Int                 = 0
    var processingTimers: Int            = 0

    def isEmpty: Boolean = block == null

    def cell(now: Long, before: Long, clock: Long, due: Long): StateCell = new StateCell {
      def block: Array[Byte]      = KeyMemory.this.block
      def watermark: Long         = now
      def previousWatermark: Long = before
      def processingTime: Long    = clock
      def dueProcessingTime: Long = due
      def save(b: Array[Byte], event: Long, processing: Long, windows: Int, events: Int, processings: Int): Unit = {
        KeyMemory.this.block = b
        nextEventTimer = event
        nextProcessingTimer = processing
        eventTimers = events
        processingTimers = processings
      }
      def remove(): Unit = KeyMemory.this.block = null
    }
  }

  /** A window as the result's column `window` has it. */
  def windowRow(window: Window): Any = window match {
    case TimeWindow(start, end) => InternalRow(start * 1000, end * 1000)
    case _                      => null
  }
}
