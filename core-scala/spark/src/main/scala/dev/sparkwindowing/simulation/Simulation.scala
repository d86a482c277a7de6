package dev.sparkwindowing.simulation

import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.plan.{EndlessTriggers, StartedWith, TaggedUnion, WindowNode}
import dev.sparkwindowing.spark.rows.EventTimeType
import dev.sparkwindowing.spark.task.NoEventTime
import dev.sparkwindowing.watermarks.WatermarkStrategy
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project, Union}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, SparkWindowingBridge}

import scala.collection.mutable

/** Runs a windowed query over single events, with the operator of a stream but without a stream.
  *
  * Elements, watermarks and processing time follow Flink's test harness: a timer fires when the watermark or processing
  * time reaches it; both start unset.
  */
private[sparkwindowing] final class Simulation(
    result: DataFrame,
    elements: DataFrame,
    strategy: Option[WatermarkStrategy]
) {
  import SimulationEvent._

  private[this] val node     = Simulation.operatorOf(result)
  private[this] val supplied = new SimulatedElements(node, elements)
  private[this] val record   = new Trace
  private[this] val notes    = mutable.HashMap.empty[Int, ElementNote]

  /** Runs the steps. */
  def run(events: IndexedSeq[SimulationEvent]): SimulationRun = {
    refuseBehindEnd(events)
    val (rows, steps, slowest) = prepare(events)
    val keys                   = new SimulatedKeys(node.program, record)
    steps.foreach { case (moves, idle) =>
      moves.foreach {
        case Move.Take(numbers)                      => take(keys, numbers, rows)
        case Move.Advance(watermark, processingTime) => keys.advance(watermark, processingTime)
      }
      keys.endStep(idle)
    }
    new SimulationRun(
      result.sparkSession,
      node,
      record,
      supplied.timeName,
      new WhyOfRun(
        node.program,
        record,
        notes.toMap,
        keys,
        named(slowest),
        isStatic = false,
        WhyText.in(result.sparkSession)
      )
    )
  }

  private[this] def named(inputs: Seq[Int]): Seq[String] = {
    val names = if (inputs.isEmpty) Nil else Simulation.inputSchemas(result).map(_._1)
    inputs.map(i => names.lift(i).getOrElse(i.toString))
  }

  // After the end of input only processing time can advance; there are no more elements or watermarks.
  private[this] def refuseBehindEnd(events: IndexedSeq[SimulationEvent]): Unit = {
    val end = events.indexOf(End)
    if (end >= 0) events.indices.drop(end + 1).foreach { i =>
      events(i) match {
        case ProcessingTime(_) | SnapshotRestore => ()
        case event                               =>
          throw new IllegalArgumentException(
            s"step $i, ${event.name}: the input has ended in step $end. Put it before sim.end(); after it only " +
              "sim.processing_time(..) and sim.snapshot_restore() may stand"
          )
      }
    }
    if (end >= 0) EndlessTriggers.refuse(node.program.plan, isStreaming = false)
  }

  // The watermark depends on elements and processing time alone, so it is computed before the operator runs.
  private[this] def prepare(
      events: IndexedSeq[SimulationEvent]
  ): (Array[InternalRow], Seq[(Seq[Move], Seq[Int])], Seq[Int]) = {
    def made(rows: Array[InternalRow], course: TimeDriver) = {
      val steps = events.zipWithIndex.map { case (event, i) =>
        val moves = course.moves(event, i)
        (moves, course.idleInputs)
      }
      (rows, steps, course.slowestInputs)
    }
    strategy match {
      case None                         => made(supplied.rows, PlainCourse)
      case Some(s) if s.isIngestionTime =>
        val times = Array.fill(events.map(elementCount).sum)(Long.MinValue)
        val moved = made(Array.empty, new StrategyTimeDriver(s, inputCount(events), times, _ => None))
        moved.copy(_1 = supplied.rows(times)) // the steps write the times
      case Some(s) =>
        val rows   = s.timestampAssigner.fold(supplied.rows)(supplied.rows)
        val times  = rows.map(supplied.timeOf)
        val proofs = s.provedBy.fold((_: Int) => Option.empty[Long])(supplied.proofs(_, s.timestampAssigner))
        made(rows, new StrategyTimeDriver(s, inputCount(events), times, proofs))
    }
  }

  private[this] def elementCount(event: SimulationEvent): Int = event match {
    case _: Element    => 1
    case Batch(events) => events.map(elementCount).sum
    case _             => 0
  }

  private[this] def inputCount(events: Seq[SimulationEvent]): Int = {
    def highest(event: SimulationEvent): Int = event match {
      case Element(_, input) => input
      case Idle(input)       => input
      case Active(input)     => input
      case Batch(inner)      => inner.map(highest).reduceOption(_ max _).getOrElse(0)
      case _                 => 0
    }
    events.map(highest).reduceOption(_ max _).getOrElse(0) + 1
  }

  // Rows are taken one by one; key by key if the end of the micro-batch matters.
  private[this] def take(keys: SimulatedKeys, numbers: Seq[Int], rows: Array[InternalRow]): Unit = {
    def ofOneKey(numbers: Seq[Int]): Unit = {
      var current = numbers.head
      try
        keys.take(
          keys.keyOf(rows(current)),
          numbers.iterator.map { number =>
            current = number
            notes(number) = keys.note(rows(number))
            rows(number)
          }
        )
      catch {
        case e: NoEventTime =>
          throw new IllegalArgumentException(
            s"step ${record.step}, element ${supplied.shown(current)}: ${e.getMessage}"
          )
      }
    }
    if (node.program.plan.firesByMicroBatch) {
      val byKey = numbers.groupBy(n => keys.keyOf(rows(n)))
      numbers.map(n => keys.keyOf(rows(n))).distinct.foreach(key => ofOneKey(byKey(key)))
    } else numbers.foreach(n => ofOneKey(Seq(n)))
  }
}

private[sparkwindowing] object Simulation {

  /** Columns of the DataFrame given to `keyBy`. */
  def inputSchema(result: DataFrame): StructType =
    projectionUnder(operatorOf(result)).child.schema

  /** Columns of each input of a join or co-group by name; none for a result of one input. */
  def inputSchemas(result: DataFrame): Seq[(String, StructType)] =
    inputsOf(result).map { case (name, projection) => name -> projection.child.schema }

  /** Elements of the inputs of a join or co-group as the rows of the operator's one input, in the order of their
    * numbers.
    *
    * @param elements
    *   for each input a DataFrame with the number of the element, then the columns of the input
    */
  def united(result: DataFrame, elements: Seq[DataFrame]): DataFrame = {
    val plans = inputsOf(result).zip(elements).map { case ((_, projection), frame) =>
      val plan     = SparkWindowingBridge.analyzedPlan(frame)
      val supplied = AttributeMap(projection.child.output.zip(plan.output.tail))
      val columns  = projection.projectList.map(_.transform { case a: Attribute => supplied.getOrElse(a, a) })
      Project(Alias(plan.output.head, "#")() +: columns.map(_.asInstanceOf[NamedExpression]), plan)
    }
    val all = SparkWindowingBridge.toDataFrame(result.sparkSession, Union(plans)).orderBy("#")
    all.drop("#")
  }

  private def inputsOf(result: DataFrame): Seq[(String, Project)] =
    TaggedUnion.projections(projectionUnder(operatorOf(result)).child)

  def projectionUnder(node: WindowNode): Project = node.child match {
    case projection: Project => projection
    case other => throw new IllegalStateException(s"the operator stands on ${other.nodeName}, not on a projection")
  }

  /** @param caller what has been called */
  def operatorOf(result: DataFrame, caller: String = "simulate"): WindowNode = {
    val node = SparkWindowingBridge.analyzedPlan(result) match {
      case Project(columns, Filter(_: IsNull, rows)) if columns.forall(isColumn) => putOutBy(rows)
      case Project(columns, rows) if columns.forall(isColumn)                    => putOutBy(rows)
      case _                                                                     => None
    }
    val one = node.filterNot(_.child.exists(_.isInstanceOf[WindowNode])).getOrElse {
      throw new IllegalArgumentException(
        s"$caller takes the result of one window exactly as .aggregate(..) gave it back: apply select, filter and the like " +
          s"${if (caller == "simulate") "to what the run puts out" else "behind it"}, and take windows over windows one by one"
      )
    }
    refuseWallClock(one, caller)
    if (caller == "simulate") refuseHistory(one)
    one
  }

  private def refuseHistory(node: WindowNode): Unit = if (node.exists(_.isInstanceOf[StartedWith]))
    throw new IllegalArgumentException(
      s"simulate takes no history: take ${Code.name("starting_with")} away, and give its rows as the first steps"
    )

  private def refuseWallClock(node: WindowNode, caller: String): Unit = if (
    node.program.output.times == EventTimeType.WallClock
  ) {
    val Project(columns, input) = projectionUnder(node)
    val column                  = columns(node.program.input.timeOrdinal).collectFirst {
      case PreciseTimestampConversion(a: Attribute, _, _) if TaggedUnion.projections(input).isEmpty => a.name
    }
    val name = column.getOrElse("ts")
    throw new IllegalArgumentException(
      s"$caller ${if (caller == "simulate") "plays a stream, whose event time is a TIMESTAMP"
        else "takes a TIMESTAMP as event time"}, and '$name' is a TIMESTAMP_NTZ: cast it before " +
        s"${Code.keyBy}, ${Code.df.withColumn(name, Code.column(name).cast("timestamp"))}"
    )
  }

  // The operator that produced these rows, directly or through the function after it.
  private def putOutBy(rows: LogicalPlan): Option[WindowNode] = rows match {
    case node: WindowNode     => Some(node)
    case Project(_, function) =>
      function.children.collectFirst { case n: WindowNode if n.program.pythonFunction.nonEmpty => n }
    case _ => None
  }

  private def isColumn(e: NamedExpression): Boolean = e match {
    case Alias(_: Attribute, _) | _: Attribute => true
    case _                                     => false
  }
}
