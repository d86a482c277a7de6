package dev.sparkwindowing.contents

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException, ValueCodec}

import java.util.{Arrays, BitSet}

/** All elements of a window with their timestamps, in order of arrival.
  *
  * Elements read from the state stay bytes until they are accessed: a list that only grows in a batch is copied, not
  * decoded. An element without a timestamp has `Long.MinValue`.
  *
  * The oldest elements of a long list are stored in chunks beside the block of the key. They are read chunk by chunk
  * when they are accessed, and one chunk is in memory at a time; so access in order is fast, and access in any other
  * order is not.
  *
  * @param store
  *   the chunks of all lists of the operator; null if the list is never stored
  */
sealed class ElementList[E] private[contents] (codec: ValueCodec[E], store: ChunkStore[E]) {

  /** A list that is never stored. */
  def this(codec: ValueCodec[E]) = this(codec, null)

  // The oldest elements; null if none is in a chunk. All others are the tail.
  private var chunks: ChunkList[E] = _
  // The serialized form of the first elements of the tail, not decoded yet.
  private[this] var source  = Array.emptyByteArray
  private[this] var from    = 0
  private[this] var length  = 0
  private[this] var pending = 0
  // The decoded elements, which follow the pending ones.
  private[this] var elements = new Array[Any](8)
  private[this] var times    = new Array[Long](8)
  private[this] var n        = 0
  // About the bytes of the tail, rather too many than too few: so it becomes one chunk.
  private[this] var bytes = 0

  def size: Int = inChunks + pending + n

  def isEmpty: Boolean = size == 0

  /** True if some elements are stored beside the block. */
  private[sparkwindowing] def isInPieces: Boolean = chunks != null

  private def inChunks: Int = if (chunks == null) 0 else chunks.size

  /** The i-th element in order of arrival, from 0. */
  def apply(i: Int): E = {
    val inTail = i - inChunks
    if (inTail < 0) chunks.element(i)
    else {
      decode()
      elements(inTail).asInstanceOf[E]
    }
  }

  def timestamp(i: Int): Long = {
    val inTail = i - inChunks
    if (inTail < 0) chunks.timestamp(i)
    else {
      decode()
      times(inTail)
    }
  }

  /** The least timestamp, `Long.MinValue` if an element has none, `Long.MaxValue` if there is no element. */
  def leastTimestamp: Long = {
    decode()
    var least = if (chunks == null) Long.MaxValue else chunks.leastTimestamp
    var i     = 0
    while (i < n) {
      least = math.min(least, times(i))
      i += 1
    }
    least
  }

  /** The greatest timestamp, `Long.MinValue` if no element has one. */
  def greatestTimestamp: Long = {
    decode()
    var greatest = if (chunks == null) Long.MinValue else chunks.greatestTimestamp
    var i        = 0
    while (i < n) {
      greatest = math.max(greatest, times(i))
      i += 1
    }
    greatest
  }

  /** Appends `element`, which must not be a reused buffer. */
  def add(element: E, timestamp: Long): Unit = {
    if (n == elements.length) grow(n + 1)
    elements(n) = element
    times(n) = timestamp
    n += 1
    if (store != null) {
      bytes += codec.sizeOf(element) + ElementList.TimeBytes
      if (store.canWrite && bytes >= store.chunkBytes) sealTail()
    }
  }

  def foreach(f: E => Unit): Unit = {
    var i = 0
    while (i < inChunks) {
      f(chunks.element(i))
      i += 1
    }
    decode()
    i = 0
    while (i < n) {
      f(elements(i).asInstanceOf[E])
      i += 1
    }
  }

  /** The elements as they are now. */
  private[sparkwindowing] def blocks: ElementBlocks[E] = {
    decode()
    new ElementBlocks[E](
      codec,
      store,
      if (chunks == null) ElementList.NoChunks else chunks.all,
      Arrays.copyOf(elements.asInstanceOf[Array[AnyRef]], n).asInstanceOf[Array[Any]]
    )
  }

  /** These elements as `view` shows them. What is removed there is removed here; nothing can be added. */
  private[sparkwindowing] def viewed[F](view: E => F): ElementList[F] = new ElementView(this, view)

  /** The numbers of the pieces with the `count` oldest elements, as far as these are in pieces. */
  private[sparkwindowing] def piecesOf(count: Int): Seq[Long] = if (chunks == null) Nil else chunks.piecesOf(count)

  /** Removes the `count` oldest elements, without reading them if they are in chunks. */
  def removeFirst(count: Int): Unit =
    if (count > 0) {
      val ofChunks = math.min(count, inChunks)
      if (ofChunks > 0) {
        chunks.removeFirst(ofChunks)
        if (chunks.size == 0) chunks = null
      }
      if (count > ofChunks) {
        decode()
        val gone = math.min(count - ofChunks, n)
        System.arraycopy(elements, gone, elements, 0, n - gone)
        System.arraycopy(times, gone, times, 0, n - gone)
        truncate(n - gone)
      }
    }

  /** Removes every element for whose position `p` is true; positions are those before the call. */
  def removeIf(p: Int => Boolean): Unit = remove(new ChunkList.Removal {
    def removes(position: Int): Boolean = p(position)
  })

  /** Removes every element whose timestamp is `time` or less. Of the chunks only those are read that have such elements
    * and others.
    */
  def removeUntil(time: Long): Unit = remove(new ChunkList.Removal {
    override def fate(chunk: Chunk): Int =
      if (chunk.greatest <= time) ChunkList.Remove else if (chunk.least > time) ChunkList.Keep else ChunkList.Look
    def removes(position: Int): Boolean = timestamp(position) <= time
  })

  private[this] def remove(rule: ChunkList.Removal): Unit = {
    val first = inChunks
    val left  = if (chunks == null) null else chunks.without(rule)
    decode()
    var kept = 0
    var i    = 0
    while (i < n) {
      val gone = rule.removes(first + i)
      if (!gone) {
        elements(kept) = elements(i)
        times(kept) = times(i)
        kept += 1
      }
      i += 1
    }
    truncate(kept)
    if (left != null) chunks = if (left.size == 0) null else left
  }

  /** Appends all elements of `other`, which is not used again. */
  def addAll(other: ElementList[E]): Unit = {
    var i = other.inChunks
    if (i > 0) {
      sealTail()
      chunks.appendAll(other.chunks)
    }
    while (i < other.size) {
      add(other(i), other.timestamp(i))
      i += 1
    }
  }

  /** Stores the tail as a chunk if it is too long for the block. */
  private[contents] def sealLongTail(): Unit =
    if (store != null && store.canWrite && bytes > store.tailBytes) sealTail()

  private[this] def sealTail(): Unit = {
    if (chunks == null) chunks = new ChunkList[E](store)
    val in = new BlockReader().open(source, from, length)
    while (pending > 0) {
      seal(timestamp = in.signed(), codec.read(in))
      pending -= 1
    }
    var i = 0
    while (i < n) {
      seal(times(i), elements(i).asInstanceOf[E])
      i += 1
    }
    chunks.append(store.take())
    length = 0
    truncate(0)
  }

  private[this] def seal(timestamp: Long, element: E): Unit =
    if (store.add(element, timestamp)) chunks.append(store.take())

  private[contents] def chunkCount: Int = if (chunks == null) 0 else chunks.all.length

  private[contents] def pieceBytes: Long = if (chunks == null) 0L else chunks.bytes

  /** Releases the chunks: the list is not used again. */
  private[contents] def release(): Unit = if (chunks != null) chunks.release()

  private[contents] def write(out: BlockWriter): Unit = {
    if (inChunks > 0) {
      out.unsigned(0L)
      chunks.write(out)
    }
    out.unsigned((pending + n).toLong)
    out.raw(source, from, length)
    var i = 0
    while (i < n) {
      out.signed(times(i))
      codec.write(elements(i).asInstanceOf[E], out)
      i += 1
    }
  }

  /** Opens a serialized list, which is decoded at the first access. */
  private[contents] def open(in: BlockReader): this.type = {
    pending = in.count(1)
    if (pending == 0 && in.remaining > 0) {
      if (store == null || !store.canWrite)
        throw new CorruptBlockException("a list is in pieces beside the block, which are not stored here")
      chunks = new ChunkList[E](store).read(in)
      pending = in.count(1)
    }
    source = in.source
    from = in.position
    length = in.remaining
    bytes = length
    this
  }

  private[this] def truncate(size: Int): Unit = {
    Arrays.fill(elements.asInstanceOf[Array[AnyRef]], size, n, null)
    bytes = if (n == 0) 0 else (bytes.toLong * size / n).toInt
    n = size
  }

  private[this] def grow(capacity: Int): Unit = {
    val wanted = math.max(capacity, elements.length * 2)
    elements = Arrays.copyOf(elements.asInstanceOf[Array[AnyRef]], wanted).asInstanceOf[Array[Any]]
    times = Arrays.copyOf(times, wanted)
  }

  private[this] def decode(): Unit =
    if (pending > 0) {
      val added = n
      if (n + pending > elements.length) grow(n + pending)
      System.arraycopy(elements, 0, elements, pending, added)
      System.arraycopy(times, 0, times, pending, added)
      val in = new BlockReader().open(source, from, length)
      var i  = 0
      while (i < pending) {
        times(i) = in.signed()
        elements(i) = codec.read(in)
        i += 1
      }
      n = added + pending
      pending = 0
      length = 0
    }
}

/** A list seen through a function. What an evictor sees of a list that is not large is made once, in order. */
private final class ElementView[E, F](of: ElementList[E], view: E => F) extends ElementList[F](null, null) {
  // The elements and times of a list that is not large, null before the first access and after a change.
  private[this] var seen: Array[Any]   = _
  private[this] var times: Array[Long] = _

  // Of a large one the element that was accessed last.
  private[this] var position = -1
  private[this] var last: F  = _

  override def size: Int                   = of.size
  override def leastTimestamp: Long        = of.leastTimestamp
  override def greatestTimestamp: Long     = of.greatestTimestamp
  override def foreach(f: F => Unit): Unit = of.foreach(e => f(view(e)))

  private[this] def isHeld: Boolean = seen != null || of.chunkCount <= ElementView.Held && {
    seen = new Array[Any](of.size)
    times = new Array[Long](of.size)
    var i = 0
    while (i < seen.length) {
      seen(i) = view(of(i))
      times(i) = of.timestamp(i)
      i += 1
    }
    true
  }

  override def timestamp(i: Int): Long = if (isHeld) times(i) else of.timestamp(i)

  override def apply(i: Int): F =
    if (isHeld) seen(i).asInstanceOf[F]
    else {
      if (i != position || i < 0) {
        last = view(of(i))
        position = i
      }
      last
    }

  private[this] def changed(): Unit = {
    seen = null
    times = null
    position = -1
  }

  override def removeFirst(count: Int): Unit = {
    of.removeFirst(count)
    changed()
  }

  /** Asks the rule of the user for all elements before any is removed, so that one that fails leaves the list. */
  override def removeIf(p: Int => Boolean): Unit = {
    val gone = new BitSet(size)
    var i    = 0
    while (i < size) {
      if (p(i)) gone.set(i)
      i += 1
    }
    of.removeIf(gone.get(_))
    changed()
  }

  override def removeUntil(time: Long): Unit = {
    of.removeUntil(time)
    changed()
  }

  override def add(element: F, timestamp: Long): Unit             = refuse()
  override def addAll(other: ElementList[F]): Unit                = refuse()
  override private[sparkwindowing] def blocks: ElementBlocks[F]   = refuse()
  override private[contents] def write(out: BlockWriter): Unit    = refuse()
  override private[contents] def open(in: BlockReader): this.type = refuse()

  private[this] def refuse(): Nothing =
    throw new UnsupportedOperationException("an evictor removes elements of a window, and adds none")
}

private object ElementView {

  /** Number of chunks of a list that is not large. */
  private val Held = 64
}

private object ElementList {
  private val NoChunks = Array.empty[Chunk]

  // Maximum number of bytes of a timestamp, and those of a length.
  private val TimeBytes = 10 + 2
}
