package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.assigners.WindowCollector
import dev.sparkwindowing.functions.SideOutput
import dev.sparkwindowing.operator.{Pane, PaneTiming}
import dev.sparkwindowing.spark.plan.{OutputLayout, WindowProgram}
import dev.sparkwindowing.windows.{GlobalWindow, TimeWindow, Window}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types.{DataType, LongType, StringType, TimestampType}
import org.apache.spark.unsafe.types.UTF8String

/** Makes the operator's output rows; the projections are built once a task.
  *
  * @param fields
  *   number of columns of the input rows
  */
private[exec] final class OutputRows(program: WindowProgram, fields: Int) {
  import OutputRows._

  private[this] val layout    = program.output
  private[this] val facts     = new SpecificInternalRow(Facts ++ (if (layout.pane) PaneFacts else Nil))
  private[this] val lateFacts = new SpecificInternalRow(
    Seq[DataType](LongType, TimestampType, TimestampType, StringType)
  )
  private[this] val windowed   = new JoinedRow
  private[this] val keyed      = new JoinedRow
  private[this] val lateJoined = new JoinedRow

  // Over the key columns, the facts of the window (start and end, null for the global one, and the pane), and the results.
  private[this] val mainProjection: UnsafeProjection = {
    val keyCount = program.input.keyCount
    val keys     = layout.keys.zipWithIndex.map { case (f, i) => column(i, f.dataType) }
    val first    = keyCount + facts.numFields
    val results  = layout.results.zipWithIndex.map { case (f, i) => column(first + i, f.dataType) }
    val pane     = if (layout.pane) Seq(paneStruct(keyCount + Facts.size)) else Nil
    val shown    = if (layout.window) Seq(window(keyCount)) else Nil
    UnsafeProjection.create(keys ++ shown ++ pane ++ results ++ sides(None))
  }

  // Over the input row, then how late it was, start and end of the missed window, and the reason.
  private[this] lazy val lateProjection: UnsafeProjection = {
    val columns = program.input.rowOrdinals.map(i => column(i, program.input.types(i))).toSeq
    val how     = Seq(column(fields, LongType), window(fields + 1), column(fields + 3, StringType))
    val late    = layout.late.getOrElse(throw new IllegalStateException("no late side output"))
    UnsafeProjection.create(noMain ++ sides(Some(late -> (columns ++ how))))
  }

  // Each over a row of the side output.
  private[this] lazy val taggedProjections: Array[UnsafeProjection] = layout.tagged.map { side =>
    val columns = side.schema.zipWithIndex.map { case (f, i) => column(i, f.dataType) }
    UnsafeProjection.create(noMain ++ sides(Some(side -> columns)))
  }.toArray

  private[this] def noMain: Seq[Expression] = layout.main(isStreaming = false).map(f => Literal(null, f.dataType))

  // Tag and structs of the side outputs, for a row of one of them or of the main output.
  private[this] def sides(of: Option[(SideOutput, Seq[Expression])]): Seq[Expression] =
    if (layout.sides.isEmpty) Nil
    else
      Literal.create(of.map(_._1.tag).orNull, StringType) +: layout.sides.map { side =>
        of.collect { case (`side`, columns) => struct(side, columns) }.getOrElse(Literal(null, side.schema))
      }

  private[this] def struct(side: SideOutput, columns: Seq[Expression]): Expression = CreateNamedStruct(
    side.schema.fieldNames.toSeq.zip(columns).flatMap { case (name, value) => Seq(Literal(name), value) }
  )

  /** A row of the main output; the same buffer at each call.
    *
    * @param firedAt
    *   the clock in milliseconds, `Long.MinValue` if it stands still
    */
  def main(key: InternalRow, window: Window, pane: Pane, firedAt: Long, results: InternalRow): UnsafeRow = {
    setBounds(facts, 0, Some(window))
    if (layout.pane) setPane(facts, Facts.size, pane, firedAt)
    mainProjection(keyed(key, windowed(facts, results)))
  }

  /** A row of the main output where there are no windows; the same buffer at each call. */
  def main(key: InternalRow, results: InternalRow): UnsafeRow = mainProjection(keyed(key, windowed(facts, results)))

  /** A row of a side output that functions write to; the same buffer at each call. */
  def tagged(number: Int, row: InternalRow): UnsafeRow = taggedProjections(number)(row)

  /** A row of the late side output; the same buffer at each call. */
  def late(row: InternalRow, lateBy: Option[Long], missed: Option[Window], reason: UTF8String): UnsafeRow = {
    lateBy match {
      case Some(ms) => lateFacts.setLong(0, ms)
      case None     => lateFacts.setNullAt(0)
    }
    setBounds(lateFacts, 1, missed)
    lateFacts.update(3, reason)
    lateProjection(lateJoined(row, lateFacts))
  }
}

private[exec] object OutputRows {
  val Late: UTF8String        = UTF8String.fromString("late")
  val NoEventTime: UTF8String = UTF8String.fromString("no event time")

  private val Facts: Seq[DataType]     = Seq(TimestampType, TimestampType)
  private val PaneFacts: Seq[DataType] = OutputLayout.PaneType.map(_.dataType)

  private def column(i: Int, dataType: DataType): Expression = BoundReference(i, dataType, nullable = true)

  // The window struct of two columns; null if they are.
  private def window(at: Int): Expression = {
    val start = column(at, TimestampType)
    val end   = column(at + 1, TimestampType)
    If(
      IsNull(start),
      Literal(null, OutputLayout.WindowType),
      CreateNamedStruct(Seq(Literal("start"), start, Literal("end"), end))
    )
  }

  private def paneStruct(at: Int): Expression = CreateNamedStruct(OutputLayout.PaneType.zipWithIndex.flatMap {
    case (f, i) => Seq(Literal(f.name), column(at + i, f.dataType))
  })

  private def setPane(row: InternalRow, at: Int, pane: Pane, firedAt: Long): Unit = {
    row.update(at, Timings(pane.timing))
    row.setLong(at + 1, pane.index)
    row.setBoolean(at + 2, pane.isLast)
    if (firedAt == Long.MinValue) row.setNullAt(at + 3) else row.setLong(at + 3, micros(firedAt))
    row.update(at + 4, if (pane.replaced == null) NoWindows else windows(pane.replaced))
  }

  private def windows(all: WindowCollector): GenericArrayData =
    new GenericArrayData(Array.tabulate[Any](all.size)(i => InternalRow(micros(all.start(i)), micros(all.end(i)))))

  private val NoWindows = new GenericArrayData(Array.empty[Any])
  private val Timings   = Seq(PaneTiming.Early, PaneTiming.OnTime, PaneTiming.Late)
    .map(t => (t: PaneTiming) -> UTF8String.fromString(t.name))
    .toMap

  private def setBounds(row: InternalRow, at: Int, window: Option[Window]): Unit = window match {
    case Some(TimeWindow(start, end)) =>
      row.setLong(at, micros(start))
      row.setLong(at + 1, micros(end))
    case Some(GlobalWindow) | None =>
      row.setNullAt(at)
      row.setNullAt(at + 1)
  }

  /** Milliseconds as microseconds; what does not fit becomes the most that does. */
  private[exec] def micros(millis: Long): Long =
    if (millis > Long.MaxValue / 1000) Long.MaxValue
    else if (millis < Long.MinValue / 1000) Long.MinValue
    else millis * 1000
}
