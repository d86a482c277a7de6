package dev.sparkwindowing.state

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException, ValueCodec}
import dev.sparkwindowing.pieces.KeyPieces

import scala.collection.mutable

/** Entries of a map, in insertion order of their keys. Those of a large map are in buckets by the hash of their keys,
  * one piece each, which are read one by one. A large map with keys whose hash is not known is one piece.
  *
  * A codec may read another key than it has written, as a decimal of another scale. So the keys of buckets are as they
  * are read.
  */
private[state] final class StoredMap[K, V](keys: ValueCodec[K], values: ValueCodec[V], pieces: KeyPieces)
    extends StoredState {
  import StoredMap._

  private[this] val all      = ValueCodec.map(keys, values)
  private[this] lazy val one = new BlockWriter

  // One of the two is null.
  private[this] var whole                        = wholeOf(mutable.LinkedHashMap.empty)
  private[this] var buckets: Array[Bucket[K, V]] = _

  // The number of the next key of buckets, for the order of all.
  private[this] var next = 0L

  private[this] def wholeOf(map: mutable.LinkedHashMap[K, V]) = {
    val state = new StoredValue(all, pieces)
    state.value = map
    state
  }

  def inPieces: Seq[StatePiece] = if (whole != null) whole.inPieces else buckets.toSeq.map(_.piece)

  def isEmpty: Boolean = if (whole != null) whole.value.isEmpty else buckets.forall(_.size == 0)

  def get(key: K): Option[V] =
    if (whole != null) whole.value.get(key)
    else {
      val stored = asRead(key)
      bucketsOf(stored).flatMap(read(_).get(stored)).map(_.value).find(_ => true)
    }

  def put(key: K, value: V): Unit =
    if (whole != null) whole.value += (key -> value)
    else {
      val stored = asRead(key)
      if (KeyHash.isKnown(stored)) putIntoBucket(stored, value)
      else {
        joinBuckets()
        whole.value += (key -> value)
      }
    }

  private[this] def putIntoBucket(key: K, value: V): Unit = {
    val entries = read(indexOf(key))
    val found   = entries.get(key)
    val number  = if (found.isEmpty) next else found.get.number
    if (found.isEmpty) next += 1
    entries += key -> new Entry(number, value)
  }

  def remove(key: K): Unit =
    if (whole != null) whole.value -= key
    else {
      val stored = asRead(key)
      bucketsOf(stored).foreach(read(_) -= stored)
    }

  private[this] def asRead(key: K): K = {
    one.reset()
    keys.write(key, one)
    keys.read(new BlockReader().open(one.toBytes, 0, one.size))
  }

  // Those that a key can be in.
  private[this] def bucketsOf(key: K): Iterator[Int] =
    if (KeyHash.isKnown(key)) Iterator.single(indexOf(key)) else buckets.indices.iterator

  def entries: List[(K, V)] =
    if (whole != null) whole.value.toList
    else {
      val found = buckets.indices.flatMap(i => read(i).toSeq)
      found.sortBy { case (_, entry) => entry.number }.map { case (key, entry) => key -> entry.value }.toList
    }

  private[this] def indexOf(key: K): Int = KeyHash.of(key) & (buckets.length - 1)

  private[this] def read(i: Int): mutable.LinkedHashMap[K, Entry[V]] = {
    val bucket = buckets(i)
    if (bucket.entries == null) {
      val in    = bucket.piece.read(pieces)
      val found = mutable.LinkedHashMap.empty[K, Entry[V]]
      (0 until bucket.piece.count).foreach { _ =>
        val number = in.unsigned()
        val key    = keys.read(in)
        if (!KeyHash.isKnown(key) || indexOf(key) != i || number >= next)
          pieces.refuse(s"its piece ${bucket.piece.number} has a key of another one")
        found += key -> new Entry(number, values.read(in))
      }
      bucket.entries = found
    }
    bucket.entries
  }

  def read(in: BlockReader, stored: Vector[StatePiece]): Unit =
    if (stored.isEmpty || in.remaining == 0) whole.read(in, stored)
    else {
      next = in.unsigned()
      if (Integer.bitCount(stored.size) != 1)
        throw new CorruptBlockException(s"a map of function state in ${stored.size} pieces")
      whole = null
      buckets = stored.map(new Bucket[K, V](_)).toArray
    }

  def encode(out: BlockWriter): Array[Byte] = {
    if (whole == null) {
      buckets.indices.foreach(store(_, out))
      val bytes = buckets.foldLeft(0L)(_ + _.piece.bytes)
      if (bytes < pieces.sizes.tail / 2) joinBuckets()
      else if (isOutOfSize(bytes)) cut(entries, bytes, out)
    }
    if (whole != null) {
      val rest = whole.encode(out)
      val all  = if (whole.inPieces.isEmpty) Nil else knownEntries
      if (all.isEmpty || all.size < whole.value.size) rest
      else {
        val bytes = whole.inPieces.foldLeft(0L)(_ + _.bytes)
        whole.inPieces.foreach(_.release(pieces))
        cut(all, bytes, out)
        numberOfNext(out)
      }
    } else numberOfNext(out)
  }

  // Those up to the first key that is not known, which is usually the first of all.
  private[this] def knownEntries: List[(K, V)] =
    whole.value.iterator
      .map { case (key, value) => asRead(key) -> value }
      .takeWhile { case (key, _) => KeyHash.isKnown(key) }
      .toList

  private[this] def isOutOfSize(bytes: Long): Boolean = {
    val each = bytes / buckets.length
    each > Most * pieces.sizes.page && buckets.length < MostBuckets ||
    each < pieces.sizes.page / Most && buckets.length > 1
  }

  private[this] def numberOfNext(out: BlockWriter): Array[Byte] = {
    out.reset()
    out.unsigned(next)
    out.toBytes
  }

  private[this] def joinBuckets(): Unit = if (whole == null) {
    val map = mutable.LinkedHashMap.empty[K, V] ++= entries
    releaseBuckets()
    whole = wholeOf(map)
  }

  private[this] def releaseBuckets(): Unit = if (buckets != null) {
    buckets.foreach(bucket => if (bucket.piece != null) bucket.piece.release(pieces))
    buckets = null
  }

  private[this] def cut(entries: List[(K, V)], bytes: Long, out: BlockWriter): Unit = {
    releaseBuckets()
    whole = null
    val wanted = math.min(math.max(1L, bytes / pieces.sizes.page), MostBuckets.toLong).toInt
    buckets = Array.fill(Integer.highestOneBit(wanted))(new Bucket[K, V](null))
    buckets.foreach(_.entries = mutable.LinkedHashMap.empty)
    next = 0L
    entries.foreach { case (key, value) => putIntoBucket(key, value) }
    buckets.indices.foreach(store(_, out))
  }

  // Stores a bucket that was read, if it has changed.
  private[this] def store(i: Int, out: BlockWriter): Unit = {
    val bucket = buckets(i)
    if (bucket.entries != null) {
      out.reset()
      bucket.entries.foreach { case (key, entry) =>
        out.unsigned(entry.number)
        keys.write(key, out)
        values.write(entry.value, out)
      }
      if (bucket.piece == null || !bucket.piece.holds(out, pieces)) {
        if (bucket.piece != null) bucket.piece.release(pieces)
        bucket.piece = StatePiece.of(out, bucket.entries.size, pieces)
      }
    }
  }
}

private object StoredMap {

  // A map is cut anew when its buckets have so many times the size of a page, or the page so many times theirs.
  private val Most = 4L

  private val MostBuckets = 1 << 16

  private final class Entry[V](val number: Long, val value: V)

  /** Entries and their piece: null until they are read, or stored. */
  private final class Bucket[K, V](var piece: StatePiece) {
    var entries: mutable.LinkedHashMap[K, Entry[V]] = _

    def size: Int = if (entries == null) piece.count else entries.size
  }
}
