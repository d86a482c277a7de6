package dev.sparkwindowing.spark.checkpoint

import dev.sparkwindowing.codec.{BlockReader, CorruptBlockException}
import dev.sparkwindowing.pieces.{PieceStore, SectionPieces}
import dev.sparkwindowing.spark.computations.ContentsFormat
import dev.sparkwindowing.spark.plan.OutputLayout
import dev.sparkwindowing.spark.rows.{EventTimeType, StoredFields}
import dev.sparkwindowing.state.KeyStateReader.StateKind
import dev.sparkwindowing.state.{KeyStateReader, OwnView, SectionedBlock, StateView, WindowView}
import dev.sparkwindowing.windows.WindowCollector
import org.apache.spark.sql.Row
import org.apache.spark.sql.api.java.UDF3
import org.apache.spark.sql.types._

/** Decodes the block of a key to rows, one per window. Runs in tasks.
  *
  * @param checkpoint
  *   for errors
  */
private[sparkwindowing] final class KeyRows(layout: StateLayout, checkpoint: String)
    extends UDF3[Array[Byte], String, collection.Map[Long, Array[Byte]], Seq[Row]]
    with Serializable {
  import KeyRows._

  // Names of the windows of each section, where a key has sections.
  private[this] val sections = layout.kept match {
    case StateKind.Sections(all) => all
    case _                       => Nil
  }

  private[this] val contents = new StoredContents(layout)
  private[this] val values   = layout.trigger.drop(layout.triggerNumbers).map {
    case f @ StructField(_, fields: StructType, _, _) if !StoredFields.isOpaque(f) => Some(new StoredRow(fields))
    case _                                                                         => None
  }
  private[this] val states = layout.states.map(f => f.name -> new StoredRow(new StructType().add(f))).toMap

  @transient private[this] lazy val reader = new KeyStateReader(layout.kept, layout.allowedLateness)

  /** Displayed type of the trigger's state; None if it has none. */
  val triggerType: Option[StructType] = Some(StructType(layout.trigger.zipWithIndex.map {
    case (f, i) if i >= layout.triggerNumbers =>
      values(i - layout.triggerNumbers).fold(StoredFields.shown(f))(v => StructField(f.name, v.shown))
    case (f, _) => StoredFields.shown(f)
  })).filter(_.nonEmpty)

  /** Displayed type of function state. */
  val stateType: DataType = if (layout.states.isEmpty) MapType(StringType, StoredFields.Size) else layout.states

  /** Type of a row that `call` returns. Types unknown to the layout are shown as STRING, which is always null. */
  val rowType: StructType = new StructType()
    .add("kind", StringType)
    .add("window", EventTimeType.Instant.window)
    .add("elements", LongType)
    .add("contents", contents.dataType.getOrElse(StringType))
    .add("trigger", triggerType.getOrElse(StringType))
    .add("next_event_timer", TimestampType)
    .add("next_processing_timer", TimestampType)
    .add("firings", LongType)
    .add("state", stateType)
    .add(OutputLayout.WindowName, StringType)

  /** The columns that are shown: the names of the windows that a section of the state is of only where there are some.
    */
  val shown: Seq[String] = rowType.fieldNames.toSeq.filter(_ != OutputLayout.WindowName || sections.nonEmpty)

  val hasContents: Boolean = contents.dataType.isDefined

  /** @param key
    *   for errors
    * @param pieces
    *   by number, those that `PagesOf` and `PiecesOf` give; null for none
    */
  def call(block: Array[Byte], key: String, pieces: collection.Map[Long, Array[Byte]]): Seq[Row] =
    orError(key) {
      val stored = new ReadPieces(pieces)
      val view   = reader.read(block, stored)
      view.windows.map(rowOf(_, stored)) ++ view.own.map(rowOf)
    }

  private[this] def orError[T](key: String)(work: => T): T =
    try work
    catch {
      case e: CorruptBlockException =>
        // Without the cause: Spark's driver may not find its class.
        throw new IllegalStateException(s"$checkpoint: ${e.of(key).getMessage}")
    }

  /** The numbers of the pages of windows of a block. */
  object PagesOf extends PiecesToRead {
    def call(block: Array[Byte], key: String, pieces: collection.Map[Long, Array[Byte]]): Seq[Long] =
      orError(key)(SectionedBlock.pages(block))
  }

  /** True if a key can have pieces beside pages that `call` needs. */
  val needsPieces: Boolean = layout.contents == ContentsFormat.Rows || states.nonEmpty

  /** The numbers of all pieces that `call` needs for a block with these pages. */
  object PiecesOf extends PiecesToRead {
    def call(block: Array[Byte], key: String, pages: collection.Map[Long, Array[Byte]]): Seq[Long] =
      orError(key) {
        val view      = reader.read(block, new ReadPieces(pages))
        val functions = view.windows.flatMap(_.state.values) ++ view.own.toSeq.flatMap(_.state.values)
        SectionedBlock.pages(block) ++ view.windows.flatMap(contentPieces) ++
          (if (states.isEmpty) Nil else functions.flatMap(_.piece))
      }
  }

  private[this] def contentPieces(w: WindowView): Seq[Long] = {
    val own = w.contents.toSeq.flatMap(contents.piecesOf)
    w.section.fold(own)(i => own.map(new SectionPieces(i, sections.size).numberOf))
  }

  private[this] def rowOf(w: WindowView, all: PieceStore): Row = {
    val stored            = w.section.fold(all)(new SectionPieces(_, sections.size).in(all))
    val (elements, shown) = w.contents.fold[(Option[Long], Any)]((None, null))(contents.read(_, stored))
    Row(
      kindOf(w),
      if (WindowCollector.isGlobal(w.start, w.end)) null
      else Row(StoredRow.instant(w.start), StoredRow.instant(w.end)),
      w.elements.orElse(elements).map(Long.box).orNull,
      shown,
      triggerOf(w),
      next(w.eventTimers),
      next(w.processingTimers),
      if (layout.panes && w.elements.isEmpty) Long.box(w.firings) else null,
      stateOf(w.state),
      w.section.map(sections(_)._1).orNull
    )
  }

  private[this] def kindOf(w: WindowView): String = w.section.fold(layout.kept)(sections(_)._2) match {
    case StateKind.Slices(_)                             => "slice"
    case StateKind.Timestamps(_) if w.elements.isDefined => "timestamp"
    case _                                               => "window"
  }

  private[this] def rowOf(own: OwnView): Row =
    Row(
      "key",
      null,
      null,
      null,
      null,
      next(own.eventTimers),
      next(own.processingTimers),
      null,
      stateOf(own.state),
      null
    )

  private[this] def triggerOf(w: WindowView): Row =
    if (w.numbers.isEmpty && w.values.isEmpty) null
    else
      Row.fromSeq(layout.trigger.zipWithIndex.map {
        case (f, i) if i < layout.triggerNumbers =>
          w.numbers.get(i).fold[Any](null)(n => if (StoredFields.isMillis(f)) StoredRow.instant(n) else n)
        case (_, i) =>
          val number = i - layout.triggerNumbers
          w.values
            .get(number)
            .fold[Row](null)(b => values(number).fold(StoredRow.sizeOf(b.length.toLong))(withWidth(_, b)))
      })

  private[this] def stateOf(names: Map[String, StateView]): Any =
    if (names.isEmpty) null
    else if (states.isEmpty) names.map { case (name, view) => name -> StoredRow.sizeOf(view.bytes) }
    else
      Row.fromSeq(
        layout.states.map(f => names.get(f.name).fold[Any](null)(v => withWidth(states(f.name), v.value).get(0)))
      )

  // Rows in a part's state begin with their width.
  private[this] def withWidth(row: StoredRow, bytes: Array[Byte]): Row = {
    val in = new BlockReader().open(bytes, 0, bytes.length)
    val n  = in.count(0)
    row.read(in.block(), n)
  }
}

private[sparkwindowing] object KeyRows {

  /** Numbers of pieces for a block, the text of its key, and the pieces that are known already. */
  trait PiecesToRead extends UDF3[Array[Byte], String, collection.Map[Long, Array[Byte]], Seq[Long]] with Serializable

  // A time outside the range of TIMESTAMP is never reached.
  private def next(timers: Seq[Long]): Any =
    timers.headOption.filter(_ <= Long.MaxValue / 1000).map(StoredRow.instant).orNull
}
