package dev.sparkwindowing.operator

import dev.sparkwindowing.declaration.Forgettable
import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.pieces.{PieceStore, SectionPieces}
import dev.sparkwindowing.state.{FunctionState, SectionedBlock, StateShare}
import dev.sparkwindowing.windows.Window

import java.util.Arrays

/** Several operators side by side, each with a section of the key's state: all get each element, and each has the
  * results that it has alone. The results of one call are those of one section after the other.
  */
final class SectionsOperator[E](sections: IndexedSeq[KeyedOperator[E]]) extends KeyedOperator[E] {
  private[this] val all     = sections.toArray
  private[this] val pieces  = Array.tabulate(all.length)(new SectionPieces(_, all.length))
  private[this] val blocks  = new SectionedBlock(all.length)
  private[this] val written = new Array[Array[Byte]](all.length)

  // The block of each section as it was opened, whether it is closed into another, and the section that works.
  private[this] var opened   = new Array[Array[Byte]](all.length)
  private[this] val isClosed = new Array[Boolean](all.length)
  private[this] var current  = 0
  // True while windows fire at the end of a micro-batch, which is only those of some sections.
  private[this] var isAtEnd = false

  def open(block: Array[Byte], pieces: PieceStore): Unit =
    openEach(block)(i => all(i).open(opened(i), this.pieces(i).in(pieces)))

  override def resume(block: Array[Byte], pieces: PieceStore, forgotten: Option[Forgettable]): Unit =
    openEach(block)(i => all(i).resume(opened(i), this.pieces(i).in(pieces), forgotten))

  private[this] def openEach(block: Array[Byte])(work: Int => Unit): Unit = {
    opened = blocks.split(block)
    Arrays.fill(isClosed, false)
    foreach(_ => work(current))
  }

  private[this] def foreach(work: KeyedOperator[E] => Unit): Unit = {
    current = 0
    while (current < all.length) {
      work(all(current))
      current += 1
    }
    current = 0
  }

  def setWatermark(watermark: Long): Unit     = foreach(_.setWatermark(watermark))
  def currentWatermark: Long                  = all(0).currentWatermark
  def setProcessingTime(time: Long): Unit     = foreach(_.setProcessingTime(time))
  override def fillUpTo(lastTime: Long): Unit = foreach(_.fillUpTo(lastTime))
  override val firesByMicroBatch: Boolean     = sections.exists(_.firesByMicroBatch)

  override def startEndOfMicroBatch(): Unit = {
    isAtEnd = true
    foreach(s => if (s.firesByMicroBatch) s.startEndOfMicroBatch())
  }

  def startWatermark(watermark: Long, dueUntil: Long): Unit = {
    isAtEnd = false
    foreach(_.startWatermark(watermark, dueUntil))
  }

  def startProcessingTime(now: Long, dueUntil: Long): Unit = {
    isAtEnd = false
    foreach(_.startProcessingTime(now, dueUntil))
  }

  // Without the function that `foreach` takes, which would be made for each element.
  def processElement(element: E, timestamp: Long): Unit = {
    current = 0
    while (current < all.length) {
      all(current).processElement(element, timestamp)
      current += 1
    }
    current = 0
  }

  def fireNext(): Boolean = {
    while (current < all.length && !fires(all(current))) current += 1
    val hasFired = current < all.length
    if (!hasFired) current = 0
    hasFired
  }

  private[this] def fires(section: KeyedOperator[E]): Boolean =
    (!isAtEnd || section.firesByMicroBatch) && section.fireNext()

  def functionState: FunctionState = all(current).functionState

  override def expire(clock: TimeDomain, until: Long): Unit = foreach(_.expire(clock, until))

  override def nextExpiry(clock: TimeDomain): Long = all.map(_.nextExpiry(clock)).min

  def hasChanged: Boolean = all.exists(_.hasChanged)
  def isEmpty: Boolean    = all.forall(_.isEmpty)

  def close(): Array[Byte] = {
    foreach { s =>
      isClosed(current) = s.hasChanged && !s.isEmpty
      written(current) = if (isClosed(current)) s.close() else if (s.isEmpty) null else opened(current)
    }
    blocks.join(written)
  }

  def leave(): Unit = foreach(_.leave())

  override def firingElement: E     = all(current).firingElement
  def currentWindow: Option[Window] = all(current).currentWindow

  def largestShare: StateShare = {
    val shares = all.indices.filter(i => isClosed(i)).map(all(_).largestShare)
    if (shares.isEmpty) StateShare(None, 0L) else shares.maxBy(_.bytes)
  }

  def windowCount: Int          = all.map(_.windowCount).sum
  def nextEventTimer: Long      = all.map(_.nextEventTimer).min
  def nextProcessingTimer: Long = all.map(_.nextProcessingTimer).min
  def eventTimerCount: Int      = all.map(_.eventTimerCount).sum
  def processingTimerCount: Int = all.map(_.processingTimerCount).sum
}
