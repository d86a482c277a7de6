package dev.sparkwindowing.bench.streams

import org.apache.flink.api.connector.source.lib.NumberSequenceSource
import org.apache.flink.api.connector.source.lib.NumberSequenceSource.NumberSequenceSplit
import org.apache.flink.api.connector.source.{SplitEnumerator, SplitEnumeratorContext}

import java.util.{ArrayList, Collection, Collections, List => JList}

/** The numbers 0 until `count` in `parallelism` ranges of equal length, one for each reader.
  *
  * The source of Flink gives a reader that asks early the range of another, which would then lie behind the watermark.
  */
final class EventSource(count: Long, parallelism: Int) extends NumberSequenceSource(0, count - 1) {
  import EventSource.Splits

  if (count % parallelism != 0)
    throw new IllegalArgumentException(s"events: a multiple of the parallelism, $parallelism, got $count")

  override def createEnumerator(
      context: SplitEnumeratorContext[NumberSequenceSplit]
  ): SplitEnumerator[NumberSequenceSplit, Collection[NumberSequenceSplit]] =
    new Splits(context, new ArrayList(splitNumberRange(0, count - 1, parallelism)))

  /** The number of the event that the sequence number stands for: the ranges are dealt out like cards, so that all
    * readers are at about the same time.
    */
  def event(number: Long): Long = {
    val length = count / parallelism
    number % length * parallelism + number / length
  }
}

object EventSource {

  /** Gives reader `n` range `n`. A job that fails is not restarted. */
  private final class Splits(context: SplitEnumeratorContext[NumberSequenceSplit], ranges: JList[NumberSequenceSplit])
      extends SplitEnumerator[NumberSequenceSplit, Collection[NumberSequenceSplit]] {
    private[this] val served = new java.util.HashSet[Int]

    def start(): Unit                                                        = ()
    def addReader(reader: Int): Unit                                         = ()
    def addSplitsBack(splits: JList[NumberSequenceSplit], reader: Int): Unit = ()
    def snapshotState(checkpoint: Long): Collection[NumberSequenceSplit]     = Collections.emptyList()
    def close(): Unit                                                        = ()
    def handleSplitRequest(reader: Int, host: String): Unit                  =
      if (served.add(reader)) context.assignSplit(ranges.get(reader), reader) else context.signalNoMoreSplits(reader)
  }
}
