package dev.sparkwindowing.bench.streams

/** The events of a run: what event number `i` is follows from these figures alone, so that every contestant sees the
  * same ones without handing them over.
  *
  * @param count
  *   number of events
  * @param keys
  *   number of keys, which are `0` until `keys`
  * @param skew
  *   0 for keys that are equally frequent, else the exponent of a power law: about 1 is Zipf's
  * @param burst
  *   events of one key that follow each other
  * @param step
  *   milliseconds from one event to the next
  * @param disorder
  *   most milliseconds that the time of an event lies behind
  * @param seed
  *   another seed gives other keys, delays and values
  */
final case class Events(count: Long, keys: Int, skew: Double, burst: Int, step: Long, disorder: Long, seed: Long) {

  /** Key of event `i`. */
  def key(i: Long): Long = {
    val u = (hash(i / burst, Events.OfKeys) >>> 11) * Events.Unit
    if (skew == 0) (u * keys).toLong
    else if (skew == 1) math.min(keys - 1L, math.exp(u * math.log(keys + 1.0)).toLong - 1)
    else {
      val p = 1 - skew
      math.min(keys - 1L, math.pow((math.pow(keys + 1.0, p) - 1) * u + 1, 1 / p).toLong - 1)
    }
  }

  /** Time of event `i`, milliseconds since the epoch, never negative. */
  def time(i: Long): Long =
    disorder + i * step - java.lang.Long.remainderUnsigned(hash(i, Events.OfTimes), disorder + 1)

  /** Value of event `i`: a whole number below 2^20, so that sums of doubles are the same in every order. */
  def value(i: Long): Double = (hash(i, Events.OfValues) >>> 44).toDouble

  /** The largest time of all. */
  def lastTime: Long = (math.max(0L, count - 1 - disorder / step) until count).map(time).max

  /** SplitMix64: mixes a number, the seed and what it is for. */
  private def hash(i: Long, purpose: Long): Long = {
    var z = i * 0x9e3779b97f4a7c15L + seed * 0xd1342543de82ef95L + purpose
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL
    z ^ (z >>> 31)
  }
}

object Events {
  private final val OfKeys   = 0x632be59bd9b4e019L
  private final val OfTimes  = 0x2545f4914f6cdd1dL
  private final val OfValues = 0x5851f42d4c957f2dL

  /** 2^-53: makes a fraction of the upper bits. */
  private final val Unit = 1.0 / (1L << 53).toDouble
}
