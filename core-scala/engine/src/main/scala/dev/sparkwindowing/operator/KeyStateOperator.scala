package dev.sparkwindowing.operator

import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.contents.WindowContents
import dev.sparkwindowing.pieces.PieceStore
import dev.sparkwindowing.state.{FunctionState, KeyState, KeyStateCodec, StateShare, TimerSet}
import dev.sparkwindowing.windows.Window

/** Operator whose state of a key is a [[dev.sparkwindowing.state.KeyState]]. As it is here it does not use processing
  * time.
  *
  * @param numberCount
  *   number of numbers of a window
  * @param valueCodecs
  *   codecs of the values of a window
  */
private[operator] abstract class KeyStateOperator[E, C <: AnyRef](
    contents: WindowContents[_, C],
    numberCount: Int = 0,
    valueCodecs: IndexedSeq[ValueCodec[_ <: AnyRef]] = IndexedSeq.empty
) extends KeyedOperator[E] {
  protected[this] final val state = new KeyState[C](contents, numberCount, valueCodecs)
  private[this] val codec         = new KeyStateCodec[C](contents)

  /** The window that elements or timers are processed for, None if it is not one window. */
  protected def processedWindow: Option[Window]

  /** Reads the block of a key in which windows have other numbers first: as many as `forgotten`, which are left out.
    *
    * @param kept
    *   number of numbers that this operator has in their place
    */
  protected def openForgetting(forgotten: Int, kept: Int)(block: Array[Byte], pieces: PieceStore)(
      work: => Unit
  ): Unit = {
    codec.replaceNumbers(forgotten, kept)
    try {
      open(block, pieces)
      work // in which pages are read
    } finally codec.replaceNumbers(0, 0)
  }

  def open(block: Array[Byte], pieces: PieceStore): Unit = {
    state.pieces.open(pieces)
    if (block == null) state.clear() else codec.decode(block, state)
  }

  def close(): Array[Byte] = codec.encode(state)

  final def leave(): Unit = {
    state.releasePagesIfEmpty()
    state.pieces.close()
  }

  def setProcessingTime(time: Long): Unit                  = ()
  def startProcessingTime(now: Long, dueUntil: Long): Unit = ()

  final def functionState: FunctionState = state.functions
  final def hasChanged: Boolean          = state.changed
  final def isEmpty: Boolean             = state.isEmpty
  final def largestShare: StateShare     = {
    val written = codec.largestShare // before pages are read, since that begins anew
    state.largestShare(written)
  }
  final def windowCount: Int              = state.size
  final def currentWindow: Option[Window] =
    if (codec.writing != null) Some(codec.writing.window) else processedWindow

  def nextEventTimer: Long      = first(state.eventTimers)
  def nextProcessingTimer: Long = first(state.processingTimers)
  def eventTimerCount: Int      = state.eventTimers.size
  def processingTimerCount: Int = state.processingTimers.size

  private[this] def first(timers: TimerSet): Long = if (timers.isEmpty) StateCell.NoTimer else timers.headTime
}
