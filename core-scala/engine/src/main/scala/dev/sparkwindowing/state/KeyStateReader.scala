package dev.sparkwindowing.state

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}
import dev.sparkwindowing.contents.{AccumulatorContents, TimestampContents}
import dev.sparkwindowing.pieces.PieceStore
import dev.sparkwindowing.windows.{Millis, SliceGrid}

import scala.collection.mutable

/** Reads blocks of keys without the trigger and the contents that wrote them. One instance per task.
  *
  * @param allowedLateness
  *   milliseconds, for the time of the clean-up timer
  */
final class KeyStateReader(kept: KeyStateReader.StateKind, allowedLateness: Long) {
  import KeyStateReader._

  private[this] val state = new KeyState[Array[Byte]](RawContents, MostOfATrigger, RawValues)
  private[this] val codec = new KeyStateCodec[Array[Byte]](RawContents)

  // Of a window that has only function state, or a timer that was left.
  private[this] val noRecord = new WindowRecord[Array[Byte]](0, 0)

  // One for each section of a key that has several.
  private[this] val sections = kept match {
    case StateKind.Sections(all) => Some(new SectionsReader(all.map(s => new KeyStateReader(s._2, allowedLateness))))
    case _                       => None
  }

  /** Reads no piece but pages of windows: contents that have pieces are as they were written.
    *
    * @param pieces
    *   with the pages of the key at least
    * @throws dev.sparkwindowing.codec.CorruptBlockException
    *   if the block or a page cannot be read
    */
  def read(block: Array[Byte], pieces: PieceStore = NoPieces): KeyView =
    sections.fold(readOne(block, pieces))(_.read(block, pieces))

  private[this] def readOne(block: Array[Byte], pieces: PieceStore): KeyView = {
    state.pieces.open(pieces)
    codec.decode(block, state)
    val silence = silenceIn(state.eventTimers)
    val event   = timersOf(state.eventTimers)
      .map { case (bounds, times) => bounds -> times.filterNot(time => silence.contains(time -> bounds)) }
      .filter(_._2.nonEmpty)
    val processing = timersOf(state.processingTimers)
    val functions  = state.functions.views
    val records    = (0 until state.size).map(state.record).map(r => (r.start, r.end) -> r).toMap
    // A session that was merged into another may have left a timer, which is ignored.
    val orphans = kept match {
      case StateKind.Windows => event.keySet ++ processing.keySet
      case _                 => Set.empty[Bounds]
    }
    val scopes = functions.keySet.collect { case FunctionState.OfWindow(start, end) => (start, end) }
    val views  = (records.keySet ++ orphans ++ scopes).toSeq.sorted.map { bounds =>
      val r                 = records.getOrElse(bounds, noRecord)
      val (count, contents) = contentsOf(r)
      WindowView(
        bounds._1,
        bounds._2,
        numbers = r.numbers.indices.filter(i => (r.numbersSet & (1L << i)) != 0).map(i => i -> r.numbers(i)).toMap,
        values = r.values.indices.collect {
          case i if r.values(i) != null => i -> r.values(i).asInstanceOf[Array[Byte]]
        }.toMap,
        contents,
        r.firings,
        eventTimers = kept match {
          case StateKind.Slices(grids)       => event.values.flatten.map(nextOf(_, bounds._1, grids)).toSeq
          case StateKind.Timestamps(keptFor) => timersOfElements(r, keptFor)
          case _                             => (event.getOrElse(bounds, Nil) ++ eventTimersOf(r)).sorted
        },
        processingTimers = (processing.getOrElse(bounds, Nil) ++ processingTimersOf(r)).sorted,
        state = functions.getOrElse(FunctionState.OfWindow(bounds._1, bounds._2), Map.empty),
        elements = count
      )
    }
    KeyView(views, ownOf(functions.getOrElse(FunctionState.OfKey, Map.empty), event, processing, silence))
  }

  // The timer of the next window without elements: at the last millisecond of its bounds, or of a key without slices.
  private[this] def silenceIn(timers: TimerSet): Set[(Long, Bounds)] = {
    def all = (0 until timers.size).map(i => timers.time(i) -> (timers.start(i) -> timers.end(i))).toSet
    kept match {
      case StateKind.Windows                      => all.filter { case (time, (_, end)) => time == end - 1 }
      case StateKind.Slices(_) if state.size == 0 => all
      case _                                      => Set.empty
    }
  }

  private[this] def ownOf(
      names: Map[String, StateView],
      event: Timers,
      processing: Timers,
      silence: Set[(Long, Bounds)]
  ): Option[OwnView] = {
    def own(timers: Timers) = if (kept == StateKind.NoWindows) timers.values.flatten.toSeq.sorted else Nil
    Some(OwnView(names, own(event) ++ silence.map(_._1), own(processing)))
      .filter(o => o.state.nonEmpty || o.eventTimers.nonEmpty || o.processingTimers.nonEmpty)
  }

  // Over windows: the number of elements, and what their contents are.
  private[this] def contentsOf(r: WindowRecord[Array[Byte]]): (Option[Long], Option[Array[Byte]]) =
    (kept, Option(state.lookAt(r))) match {
      case (StateKind.Timestamps(_), Some(block)) =>
        val (count, contents) = TimestampContents.partsOf(block)
        (Some(count), Some(contents))
      case (_, contents) => (None, contents)
    }

  // The elements of the last timestamp wait to be removed once their windows are cleaned up.
  private[this] def timersOfElements(r: WindowRecord[_], keptFor: Option[Long]): Seq[Long] =
    if (r.timers != 0 || state.size == 0 || (r ne state.record(state.size - 1))) eventTimersOf(r)
    else keptFor.toSeq.map(Millis.cleanupOf(Millis.cleanupOf(r.start, allowedLateness), _))

  private[this] def eventTimersOf(r: WindowRecord[_]): Seq[Long] =
    Seq(
      WindowRecord.EventEnd     -> r.maxTimestamp,
      WindowRecord.EventCleanup -> Millis.cleanupOf(r.maxTimestamp, allowedLateness)
    ).collect { case (bit, time) if (r.timers & bit) != 0 => time }

  private[this] def processingTimersOf(r: WindowRecord[_]): Seq[Long] =
    if ((r.timers & WindowRecord.ProcessingEnd) != 0) Seq(r.maxTimestamp) else Nil

  // The last millisecond of the first unfired window that contains the slice; the timer is that of the first window.
  private[this] def nextOf(timer: Long, sliceStart: Long, grids: Seq[SliceGrid]): Long =
    grids
      .filter(_.newestEnd(sliceStart) > timer)
      .map(_.oldestEnd(math.max(sliceStart, timer)))
      .reduceOption(math.min(_, _))
      .fold(timer)(_ - 1)

  private[this] def timersOf(timers: TimerSet): Timers = {
    val all = mutable.Map.empty[Bounds, Vector[Long]]
    while (!timers.isEmpty) {
      val bounds = (timers.headStart, timers.headEnd)
      all(bounds) = all.getOrElse(bounds, Vector.empty) :+ timers.headTime
      timers.removeHead()
    }
    all.toMap
  }
}

object KeyStateReader {

  /** Kind of state in the blocks of an operator. */
  sealed trait StateKind extends Product with Serializable

  object StateKind {

    case object Windows extends StateKind

    /** Windows that merge. */
    case object Sessions extends StateKind

    /** Slices of the windows of one grid or more, without timers of their own. */
    final case class Slices(grids: Seq[SliceGrid]) extends StateKind

    /** Elements by timestamp, for over windows. A window with function state alone is one of these windows.
      *
      * @param keptFor
      *   milliseconds that elements are kept after the clean-up of their windows; None for a number of rows, without
      *   end
      */
    final case class Timestamps(keptFor: Option[Long]) extends StateKind

    /** Sections of other kinds side by side, with the names of their windows. */
    final case class Sections(sections: Seq[(String, StateKind)]) extends StateKind

    /** Only timers and state of the key. */
    case object NoWindows extends StateKind
  }

  private type Bounds = (Long, Long)
  private type Timers = Map[Bounds, Vector[Long]]

  // Number of bits in a mask of the block.
  private[state] val MostOfATrigger = 64

  private[state] val RawValues: IndexedSeq[ValueCodec[_ <: AnyRef]] = IndexedSeq.fill(MostOfATrigger)(RawValue)

  private object RawValue extends ValueCodec[Array[Byte]] {
    def read(in: BlockReader): Array[Byte]                = in.raw(in.remaining)
    def write(value: Array[Byte], out: BlockWriter): Unit = out.raw(value, 0, value.length)
  }

  private object NoPieces extends PieceStore {
    def read(number: Long): Array[Byte]               = null
    def write(number: Long, bytes: Array[Byte]): Unit = RawContents.none()
    def remove(number: Long): Unit                    = RawContents.none()
  }

  private object RawContents extends AccumulatorContents[Any, Array[Byte]](RawValue) {
    def createAccumulator(): Array[Byte]                           = none()
    def add(contents: Array[Byte], element: Any): Array[Byte]      = none()
    def merge(kept: Array[Byte], merged: Array[Byte]): Array[Byte] = none()
    def none(): Nothing = throw new UnsupportedOperationException("the state is only looked at")
  }
}
