package dev.sparkwindowing.spark.task

import dev.sparkwindowing.functions.SideOutput
import dev.sparkwindowing.operator.{PaneInfo, PaneTiming}
import dev.sparkwindowing.spark.expressions.JoinedReference
import dev.sparkwindowing.spark.expressions.JoinedReference.{Left, Right}
import dev.sparkwindowing.spark.plan.{Changelog, OutputLayout, ResultTime, WindowProgram}
import dev.sparkwindowing.spark.rows.{Micros, RowView}
import dev.sparkwindowing.windows.{GlobalWindow, TimeWindow, Window, WindowCollector}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types.{DataType, StringType, StructField}
import org.apache.spark.unsafe.types.UTF8String

/** Builds the operator's output rows. Its projections are made once per task.
  *
  * @param fields
  *   number of columns of the input rows
  */
private[sparkwindowing] final class OutputRows(program: WindowProgram, fields: Int) {
  import OutputRows._

  private[this] val layout    = program.output
  private[this] val times     = layout.times
  private[this] val bounds    = new SpecificInternalRow(times.window)
  private[this] val paneType  = layout.paneType
  private[this] val paneFacts = new SpecificInternalRow(paneType)
  private[this] val facts     = new SpecificInternalRow(
    Seq[DataType](times.window, paneType, times.dataType, program.input.columns) ++ Changelog.columns.map(_.dataType) :+
      StringType
  )
  private[this] val lateTypes  = OutputLayout.lateFacts(times, layout.named)
  private[this] val lateFacts  = new SpecificInternalRow(lateTypes)
  private[this] val windowed   = new JoinedRow
  private[this] val keyed      = new JoinedRow
  private[this] val lateJoined = new JoinedRow

  facts.update(1, paneFacts)

  // Over the key columns, window, pane, event time of the call, element, change, name of the window, and results.
  private[this] val mainProjection: UnsafeProjection = {
    def of(fields: Seq[StructField], path: JoinedReference.Side*) =
      fields.zipWithIndex.map { case (f, i) => JoinedReference(path, i, f.dataType, nullable = true) }
    def fact(i: Int, dataType: DataType) = JoinedReference(Seq(Right, Left), i, dataType, nullable = true)
    val keys                             = of(layout.keys, Left)
    val results                          = of(layout.results, Right, Right)
    val shown                            = layout.time match {
      case ResultTime.EndOfWindow | ResultTime.NoEnd => Seq(fact(0, times.window))
      case _: ResultTime.OfCall                      => Seq(fact(2, times.dataType))
      case ResultTime.Unknown                        => Nil
    }
    val name   = if (layout.named) Seq(fact(Name, StringType)) else Nil
    val pane   = if (layout.pane) Seq(fact(1, paneType)) else Nil
    val row    = program.row.map(view => elementOf(view, fact(3, program.input.columns)))
    val change = layout.changelog.toSeq.flatMap(_ =>
      Changelog.columns.zipWithIndex.map { case (f, i) => fact(FirstOfChange + i, f.dataType) }
    )
    UnsafeProjection.create(keys ++ shown ++ name ++ pane ++ row ++ results ++ change ++ sides(None))
  }

  private[this] def elementOf(view: RowView, row: Expression): Expression = CreateNamedStruct(
    view.schema.fieldNames.toSeq.zip(view.ordinals).flatMap { case (name, at) =>
      Seq(Literal(name), GetStructField(row, at))
    }
  )

  // Over the input row, then the columns that describe a late row.
  private[this] lazy val lateProjection: UnsafeProjection = {
    val columns = program.input.rowOrdinals.map(i => column(i, program.input.types(i))).toSeq
    val how     = lateTypes.zipWithIndex.map { case (f, i) => column(fields + i, f.dataType) }
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

  /** A row of the main output, in a reused buffer.
    *
    * @param name
    *   that of the windows, if the result shows it
    * @param firedAt
    *   processing time in milliseconds, `Long.MinValue` if it does not advance
    * @param element
    *   the element of an over window, if the result shows it
    */
  def main(
      key: InternalRow,
      window: Window,
      name: UTF8String,
      pane: PaneInfo,
      firedAt: Long,
      results: InternalRow,
      element: InternalRow
  ): UnsafeRow = {
    setWindow(facts, 0, Some(window))
    if (layout.named) facts.update(Name, name)
    if (program.row.nonEmpty) facts.update(3, element)
    if (layout.pane) setPane(pane, firedAt)
    mainProjection(keyed(key, windowed(facts, results)))
  }

  /** Sets kind and number of the change that the next row of the main output is. */
  def setChange(op: UTF8String, sequence: Long): Unit = {
    facts.update(FirstOfChange, op)
    facts.setLong(FirstOfChange + 1, sequence)
  }

  /** A row of the main output of an operator without windows, in a reused buffer.
    *
    * @param time
    *   the event time of the result in milliseconds, `Long.MinValue` for none
    */
  def main(key: InternalRow, time: Long, results: InternalRow): UnsafeRow = {
    if (time == Long.MinValue) facts.setNullAt(2) else facts.setLong(2, Micros.of(time))
    mainProjection(keyed(key, windowed(facts, results)))
  }

  /** A row of a function's side output, in a reused buffer. */
  def tagged(number: Int, row: InternalRow): UnsafeRow = taggedProjections(number)(row)

  /** A row of the late side output, in a reused buffer. */
  def late(
      row: InternalRow,
      lateBy: Option[Long],
      missed: Option[Window],
      name: UTF8String,
      reason: UTF8String
  ): UnsafeRow = {
    lateBy match {
      case Some(ms) => lateFacts.setLong(0, ms)
      case None     => lateFacts.setNullAt(0)
    }
    setWindow(lateFacts, 1, missed)
    lateFacts.update(2, reason)
    if (layout.named) lateFacts.update(3, name)
    lateProjection(lateJoined(row, lateFacts))
  }

  private[this] def setWindow(row: InternalRow, at: Int, window: Option[Window]): Unit = window match {
    case Some(TimeWindow(start, end)) =>
      bounds.setLong(0, Micros.of(start))
      bounds.setLong(1, Micros.of(end))
      row.update(at, bounds)
    case Some(GlobalWindow) | None => row.setNullAt(at)
  }

  private[this] def setPane(pane: PaneInfo, firedAt: Long): Unit = {
    paneFacts.update(0, Timings(pane.timing))
    paneFacts.setLong(1, pane.number)
    paneFacts.setBoolean(2, pane.isLast)
    if (firedAt == Long.MinValue) paneFacts.setNullAt(3) else paneFacts.setLong(3, Micros.of(firedAt))
    paneFacts.update(4, if (pane.replaced == null) NoWindows else windows(pane.replaced))
    if (layout.showsEmpty) paneFacts.setBoolean(5, pane.isEmpty)
  }
}

private[sparkwindowing] object OutputRows {
  val Late: UTF8String        = UTF8String.fromString("late")
  val NoEventTime: UTF8String = UTF8String.fromString("no event time")

  // Positions among the facts: of the kind of a change, and of the name of the window.
  private val FirstOfChange = 4
  private val Name          = FirstOfChange + Changelog.columns.size

  private def column(i: Int, dataType: DataType): Expression = BoundReference(i, dataType, nullable = true)

  private def windows(all: WindowCollector): GenericArrayData =
    new GenericArrayData(
      Array.tabulate[Any](all.size)(i => InternalRow(Micros.of(all.start(i)), Micros.of(all.end(i))))
    )

  private val NoWindows = new GenericArrayData(Array.empty[Any])
  private val Timings   = Seq(PaneTiming.Early, PaneTiming.OnTime, PaneTiming.Late)
    .map(t => (t: PaneTiming) -> UTF8String.fromString(t.name))
    .toMap
}
