package dev.sparkwindowing.bench

import scala.util.Random

/** The elements of the benchmarks: 300 seconds of event time, one candidate a millisecond.
  *
  * Each of 1,000 keys has its turn once a second, in an order that is drawn anew for each second. Both operators see
  * the same elements. The next round repeats them 300 seconds later.
  *
  * @param isActive
  *   (key, second) whether the key speaks in that second
  */
final class Stream(isActive: (Int, Int) => Boolean) {
  private[this] val random = new Random(42)
  private[this] val turns  =
    Vector.fill(Stream.Millis / Stream.Keys)(random.shuffle(Vector.range(0, Stream.Keys))).flatten.toArray
  private[this] val chosen = (0 until Stream.Millis).filter(t => isActive(turns(t), t / 1000)).toArray

  val size: Int            = chosen.length
  private[this] val values = Array.fill(size)(random.nextInt(1000).toLong)
  def time(i: Int): Int    = chosen(i)
  def key(i: Int): Int     = turns(chosen(i))
  def value(i: Int): Long  = values(i)
}

object Stream {

  /** As many as a second has milliseconds. A power of two would flatter hash maps. */
  val Keys = 1000

  /** Milliseconds of one round. */
  val Millis = 300000

  /** Elements of one round: all candidates, two thirds of them, and those of a tenth of the keys. */
  final val EveryElement = 300000
  final val TwoThirds    = 200000
  final val ATenth       = 30000

  /** Each key speaks every second. */
  def steady(): Stream = checked(new Stream((_, _) => true), EveryElement)

  /** Each key speaks for 20 seconds and is silent for 10: a third of the keys at any time. */
  def bursts(): Stream = checked(new Stream((key, second) => (second + key % 3 * 10) % 30 < 20), TwoThirds)

  /** A hundred keys speak every second. */
  def fewKeys(): Stream = checked(new Stream((key, _) => key < Keys / 10), ATenth)

  private def checked(stream: Stream, size: Int): Stream = {
    if (stream.size != size) throw new IllegalStateException(s"a stream of ${stream.size} elements instead of $size")
    stream
  }
}
