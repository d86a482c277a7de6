package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.assigners.MergingWindowAssigner
import dev.sparkwindowing.operator.KeyedPlan
import dev.sparkwindowing.spark.computations.PartialMerge
import dev.sparkwindowing.triggers.{EventTimeTrigger, Trigger}
import dev.sparkwindowing.windows.WindowCollector
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{LongType, StructField, StructType}

/** Rows aggregated before the exchange: keys, event time, the slots of the buffer, the number of rows, and for a
  * session its end.
  */
private[spark] object PartialRows {

  /** The program over such rows: one per slice, each assigned to the windows that contain its start, or one per
    * session.
    */
  def program(rowByRow: WindowProgram, path: PreAggregation.Aggregated): WindowProgram = {
    val keys      = rowByRow.input.keyTypes
    val slots     = path.computation.partialSchema
    val firstSlot = keys.size + 1
    val rows      = firstSlot + slots.size
    val columns   = keys.zipWithIndex.map { case (t, i) => StructField(s"key_$i", t) } ++
      (StructField("event_time", LongType) +: slots) ++ Seq("rows", "session_end").map(StructField(_, LongType))
    val layout = new InputLayout(
      keyCount = keys.size,
      timeOrdinal = keys.size,
      argumentOrdinals = slots.indices.map(firstSlot + _).toArray,
      partOrdinals = Array.emptyIntArray,
      rowOrdinals = Array.emptyIntArray,
      columns = StructType(columns),
      keyTexts = Nil,
      rowsOrdinal = Some(rows)
    )
    val plan = (path, rowByRow.plan) match {
      case (_: PreAggregation.Sessions, windows: KeyedPlan.Windows[InternalRow]) =>
        windows.copy(assigner = new WrittenSessions(endOrdinal = rows + 1))
      case (_, plan) => path.over(plan)
    }
    rowByRow.over(plan, new PartialMerge(path.computation), layout)
  }
}

/** Assigner of pre-aggregated sessions: each row brings its session, from its event time to its end. */
private[plan] final class WrittenSessions(endOrdinal: Int) extends MergingWindowAssigner[InternalRow] {

  def assignWindows(row: InternalRow, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit =
    windows.add(timestamp, row.getLong(endOrdinal))

  def defaultTrigger: Trigger[Any] = EventTimeTrigger.create()
  def isEventTime: Boolean         = true
}
