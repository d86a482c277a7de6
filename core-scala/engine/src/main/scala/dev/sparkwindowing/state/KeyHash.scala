package dev.sparkwindowing.state

/** A hash of the keys of a map, as their codec reads them, that is the same in every JVM and release, since maps are
  * stored by it. Keys that are equal have the same.
  */
private[state] object KeyHash {

  /** True if the class of a key says which keys it is equal to by its value alone, and is one that is known here. */
  def isKnown(key: Any): Boolean = key match {
    case null | _: String | _: Boolean | _: Char                            => true
    case _: Byte | _: Short | _: Int | _: Long | _: Float | _: Double       => true
    case _: java.math.BigDecimal | _: java.math.BigInteger                  => true
    case _: java.util.UUID | _: java.time.LocalDate | _: java.time.Instant  => true
    case values: scala.collection.Seq[_]                                    => values.forall(isKnown)
    case tuple: Product if tuple.getClass.getName.startsWith("scala.Tuple") => tuple.productIterator.forall(isKnown)
    case _                                                                  => false
  }

  /** The hash of a key that is known. */
  def of(key: Any): Int = mixed(key match {
    case null                            => 0L
    case text: String                    => text.hashCode.toLong
    case flag: Boolean                   => if (flag) 1231L else 1237L
    case char: Char                      => char.toLong
    case number: Float                   => ofNumber(number.toDouble)
    case number: Double                  => ofNumber(number)
    case number: java.math.BigDecimal    => number.unscaledValue.hashCode * 31L + number.scale
    case number: java.math.BigInteger    => number.hashCode.toLong
    case number: Number                  => number.longValue
    case id: java.util.UUID              => id.getMostSignificantBits * 31 + id.getLeastSignificantBits
    case date: java.time.LocalDate       => date.toEpochDay
    case time: java.time.Instant         => time.getEpochSecond * 31 + time.getNano
    case values: scala.collection.Seq[_] => ofAll(values.iterator)
    case tuple: Product                  => ofAll(tuple.productIterator)
    case other                           => throw new IllegalArgumentException(s"${other.getClass} has no hash here")
  })

  // 1.0 is equal to 1, and -0.0 to 0.
  private def ofNumber(number: Double): Long =
    if (number == number.toLong) number.toLong else java.lang.Double.doubleToLongBits(number)

  private def ofAll(values: Iterator[Any]): Long = values.foldLeft(1L)(_ * 31 + of(_))

  // So that the lowest bits depend on all.
  private def mixed(hash: Long): Int = {
    val once  = (hash ^ (hash >>> 32)) * 0x9e3779b97f4a7c15L
    val twice = (once ^ (once >>> 29)) * 0xbf58476d1ce4e5b9L
    (twice ^ (twice >>> 32)).toInt
  }
}
