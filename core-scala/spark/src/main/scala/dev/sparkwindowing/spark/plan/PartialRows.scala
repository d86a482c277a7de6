package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.assigners.MergingWindowAssigner
import dev.sparkwindowing.operator.KeyedPlan
import dev.sparkwindowing.spark.computations.{PartialComputation, PartialMerge}
import dev.sparkwindowing.triggers.{EventTimeTrigger, Trigger}
import dev.sparkwindowing.windows.WindowCollector
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DataType, LongType, StructField, StructType}

/** Layout of rows aggregated before the exchange: keys, event time, the slots of the buffer, the number of rows, and
  * for a session its end.
  */
private[spark] final class PartialRows(keyTypes: Seq[DataType], computation: PartialComputation) {
  private val slots = computation.partialSchema.map(_.dataType)

  val timeOrdinal: Int = keyTypes.size
  val firstSlot: Int   = timeOrdinal + 1
  val rowsOrdinal: Int = firstSlot + slots.size
  val endOrdinal: Int  = rowsOrdinal + 1

  private def layout: InputLayout = new InputLayout(
    keyTypes.size,
    timeOrdinal,
    slots.indices.map(firstSlot + _).toArray,
    Array.emptyIntArray,
    Array.emptyIntArray,
    columns,
    Nil,
    Some(rowsOrdinal)
  )

  private def columns: StructType = StructType(
    keyTypes.zipWithIndex.map { case (t, i) => StructField(s"key_$i", t) } ++ Seq(
      StructField("event_time", LongType)
    ) ++
      computation.partialSchema ++ Seq("rows", "session_end").map(StructField(_, LongType))
  )

  /** The program over such rows, one per slice, each assigned to the windows that contain its start. */
  def overSlices(program: WindowProgram, path: PreAggregation.Slices): WindowProgram =
    program.over(path.over(program.plan), new PartialMerge(computation), layout)

  /** The program over such rows, one per session. */
  def overSessions(program: WindowProgram): WindowProgram = {
    val plan = program.plan match {
      case windows: KeyedPlan.Windows[InternalRow] => windows.copy(assigner = new WrittenSessions(endOrdinal))
      case other                                   => other
    }
    program.over(plan, new PartialMerge(computation), layout)
  }
}

/** Assigner of pre-aggregated sessions: each row brings its session, from its event time to its end. */
private[plan] final class WrittenSessions(endOrdinal: Int) extends MergingWindowAssigner[InternalRow] {

  def assignWindows(row: InternalRow, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit =
    windows.add(timestamp, row.getLong(endOrdinal))

  def defaultTrigger: Trigger[Any] = EventTimeTrigger.create()
  def isEventTime: Boolean         = true
}
