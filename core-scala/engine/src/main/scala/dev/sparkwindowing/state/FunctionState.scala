package dev.sparkwindowing.state

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException, ValueCodec}
import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.pieces.KeyPieces
import dev.sparkwindowing.windows.{GlobalWindow, TimeWindow, Window, WindowCollector}

import java.nio.charset.StandardCharsets.UTF_8
import java.util.TreeMap
import scala.jdk.CollectionConverters._

/** Named state of functions, of the key and of each of its windows. It stays until the functions clear it or it
  * expires: neither a firing nor a clean-up removes it.
  *
  * A value is decoded when it is first read. A value of the key can have a time at which it expires: the host removes
  * it then, and a reader compares that time itself.
  *
  * A value with more bytes than the tail of a list is a piece of the key. It is read when it is asked for, and written
  * when it has changed. Lists and maps have several pieces.
  *
  * @param onChange
  *   called whenever a value is set or removed
  */
final class FunctionState private[state] (pieces: KeyPieces, onChange: () => Unit) {
  import FunctionState._

  private[this] val scopes = new TreeMap[Scope, TreeMap[String, Entry]]
  private[this] val value  = new BlockWriter

  // Values with an expiry: most states have none, and are asked for it for every key.
  private[this] var expiringCount = 0

  /** Number of bytes of its pieces, as it was written last. */
  private[state] var pieceBytes: Long = 0L

  def isEmpty: Boolean = scopes.isEmpty

  /** The value of that name, if there is one. */
  def get[T](scope: Scope, name: String, codec: ValueCodec[T]): Option[T] =
    Option(stateOf(scope, name)(new StoredValue[T](codec, _))).map(_.value)

  /** The state of that name, null if there is none.
    *
    * @param make
    *   makes it without a value
    */
  private[state] def stateOf[S <: StoredState](scope: Scope, name: String)(make: KeyPieces => S): S = {
    val entry = entryOf(scope, name)
    if (entry == null) null.asInstanceOf[S]
    else {
      if (entry.state == null) {
        val state = make(pieces)
        state.read(new BlockReader().open(entry.bytes, 0, entry.bytes.length), entry.stored)
        entry.state = state
        entry.bytes = null
        entry.stored = Vector.empty
      }
      entry.state.asInstanceOf[S]
    }
  }

  /** Changes the state of that name, which is made if there is none. */
  private[state] def change[S <: StoredState](scope: Scope, name: String)(make: KeyPieces => S)(f: S => Unit): Unit = {
    val found = stateOf(scope, name)(make)
    val state = if (found == null) make(pieces) else found
    onChange() // what a failure leaves is written, too
    f(state)
    if (found == null) add(scope, name, state)
  }

  private[this] def add(scope: Scope, name: String, state: StoredState): Unit = {
    val entry = new Entry
    entry.state = state
    forget(scopes.computeIfAbsent(scope, _ => new TreeMap[String, Entry]).put(name, entry))
  }

  // Null if there is none.
  private[this] def entryOf(scope: Scope, name: String): Entry = {
    val names = scopes.get(scope)
    if (names == null) null else names.get(name)
  }

  def put[T](scope: Scope, name: String, value: T, codec: ValueCodec[T]): Unit = {
    val state = new StoredValue[T](codec, pieces)
    state.value = value
    add(scope, name, state)
    onChange()
  }

  def remove(scope: Scope, name: String): Unit = {
    val names = scopes.get(scope)
    val entry = if (names == null) null else names.remove(name)
    if (entry != null) {
      forget(entry)
      if (names.isEmpty) scopes.remove(scope)
      onChange()
    }
  }

  private[this] def forget(entry: Entry): Unit = if (entry != null) {
    if (entry.expiry != Never) expiringCount -= 1
    entry.inPieces.foreach(_.release(pieces))
  }

  /** Sets the time of a clock, in milliseconds, at which a value of the key expires; [[Never]] for none. */
  def setExpiry(name: String, clock: TimeDomain, time: Long): Unit = {
    val entry = entryOf(OfKey, name)
    if (entry != null) {
      expireAt(entry, clock, time)
      onChange()
    }
  }

  private[this] def expireAt(entry: Entry, clock: TimeDomain, time: Long): Unit = {
    if (entry.expiry != Never) expiringCount -= 1
    entry.clock = clock
    entry.expiry = time
    if (time != Never) expiringCount += 1
  }

  /** The time at which a value of the key expires; [[Never]] if it has none. */
  def expiry(name: String): Long = {
    val entry = entryOf(OfKey, name)
    if (entry == null) Never else entry.expiry
  }

  /** True if a value of the key has expired by a time of its clock. */
  def isExpired(name: String, now: Long): Boolean = {
    val time = expiry(name)
    time != Never && time <= now
  }

  /** The earliest time of a clock at which a value of the key expires; [[Never]] if there is none. */
  def nextExpiry(clock: TimeDomain): Long =
    if (expiringCount == 0) Never
    else
      expiringEntries
        .collect { case (_, entry) if entry.clock == clock => entry.expiry }
        .reduceOption(_ min _)
        .getOrElse(Never)

  /** Removes the values of the key that expire up to a time of a clock. */
  def expire(clock: TimeDomain, until: Long): Unit =
    if (expiringCount > 0) {
      val due = expiringEntries.collect { case (name, entry) if entry.clock == clock && entry.expiry <= until => name }
      due.foreach(remove(OfKey, _))
    }

  private[state] def clear(): Unit = {
    scopes.clear()
    expiringCount = 0
    pieceBytes = 0L
  }

  /** Stores as pieces what is too large for the block. Called before `write`. */
  private[state] def seal(): Unit = {
    pieceBytes = 0L
    // Most keys have none, and this runs for every key that is written.
    if (!scopes.isEmpty) {
      val owners = scopes.values.iterator
      while (owners.hasNext) {
        val named = owners.next().values.iterator
        while (named.hasNext) seal(named.next())
      }
    }
  }

  private[this] def seal(entry: Entry): Unit = {
    if (entry.state != null) entry.bytes = entry.state.encode(value)
    noteBytes(entry)
  }

  private[this] def entries: Iterator[(Scope, String, Entry)] =
    scopes.asScala.iterator.flatMap { case (scope, names) =>
      names.asScala.iterator.map { case (name, entry) => (scope, name, entry) }
    }

  private[state] def write(out: BlockWriter): Unit = if (scopes.isEmpty) out.unsigned(0L) else writeScopes(out)

  private[this] def writeScopes(out: BlockWriter): Unit = {
    val expiring = expiringEntries
    val inPieces = if (pieces.isEmpty) Nil else entries.filter(_._3.inPieces.nonEmpty).toList
    out.unsigned(scopes.size.toLong + (if (inPieces.isEmpty) 0 else 1) + (if (expiring.isEmpty) 0 else 1))
    scopes.asScala.foreach { case (scope, names) =>
      writeScope(scope, out)
      out.unsigned(names.size.toLong)
      names.asScala.foreach { case (name, entry) =>
        out.block(name.getBytes(UTF_8))
        out.block(entry.bytes)
      }
    }
    if (inPieces.nonEmpty) {
      out.byte(PiecesMark)
      out.unsigned(inPieces.size.toLong)
      inPieces.foreach { case (scope, name, entry) =>
        writeScope(scope, out)
        out.block(name.getBytes(UTF_8))
        StatePiece.write(entry.inPieces, out)
      }
    }
    if (expiring.nonEmpty) {
      out.byte(ExpiryMark)
      out.unsigned(expiring.size.toLong)
      expiring.foreach { case (name, entry) =>
        out.block(name.getBytes(UTF_8))
        out.byte(if (entry.clock == TimeDomain.EventTime) 0 else 1)
        out.signed(entry.expiry)
      }
    }
  }

  private[this] def expiringEntries: Seq[(String, Entry)] =
    if (expiringCount == 0) Nil else scopes.get(OfKey).asScala.filter(_._2.expiry != Never).toSeq

  /** All values as they are stored, by scope and name. */
  private[state] def views: Map[Scope, Map[String, StateView]] =
    scopes.asScala.iterator.map { case (scope, names) =>
      scope -> names.asScala.iterator.map { case (name, entry) => name -> viewOf(entry) }.toMap
    }.toMap

  private[this] def viewOf(entry: Entry): StateView = entry.stored match {
    case Seq(piece) if entry.bytes.isEmpty =>
      new StateView(piece.bytes.toLong, Some(piece.number), () => piece.readAll(pieces))
    case stored =>
      new StateView(entry.bytes.length + stored.foldLeft(0L)(_ + _.bytes), None, () => entry.bytes)
  }

  private[this] def writeScope(scope: Scope, out: BlockWriter): Unit = scope match {
    case OfKey                => out.byte(KeyMark)
    case OfWindow(start, end) =>
      if (WindowCollector.isGlobal(start, end)) out.byte(GlobalMark)
      else {
        out.byte(WindowMark)
        out.signed(start)
        out.unsigned(end - start)
      }
  }

  private[state] def read(in: BlockReader): Unit = {
    var left = in.count(2)
    while (left > 0) {
      val mark = in.byte()
      if (mark == ExpiryMark) readExpiries(in)
      else if (mark == PiecesMark) readPieces(in)
      else readNames(readScope(mark, in), in)
      left -= 1
    }
  }

  private[this] def readNames(scope: Scope, in: BlockReader): Unit = {
    val names = new TreeMap[String, Entry]
    var n     = in.count(2)
    while (n > 0) {
      val name  = new String(in.block(), UTF_8)
      val entry = new Entry
      entry.bytes = in.block()
      names.put(name, entry)
      n -= 1
    }
    scopes.put(scope, names)
  }

  private[this] def readPieces(in: BlockReader): Unit = {
    if (!pieces.canWrite) throw new CorruptBlockException("function state is in pieces, which are not stored here")
    var n = in.count(3)
    while (n > 0) {
      val scope = readScope(in.byte(), in)
      val entry = entryNamed(scope, in, "pieces")
      entry.stored = StatePiece.read(in)
      if (entry.stored.isEmpty) throw new CorruptBlockException("function state in no pieces")
      noteBytes(entry)
      n -= 1
    }
  }

  private[this] def noteBytes(entry: Entry): Unit = entry.inPieces.foreach(pieceBytes += _.bytes)

  private[this] def entryNamed(scope: Scope, in: BlockReader, of: String): Entry = {
    val name  = new String(in.block(), UTF_8)
    val entry = entryOf(scope, name)
    if (entry == null) throw new CorruptBlockException(s"$of of the state '$name', which is not there")
    entry
  }

  private[this] def readExpiries(in: BlockReader): Unit = {
    var n = in.count(3)
    while (n > 0) {
      val entry = entryNamed(OfKey, in, "an expiry")
      expireAt(entry, if (in.byte() == 0) TimeDomain.EventTime else TimeDomain.ProcessingTime, in.signed())
      n -= 1
    }
  }

  private[this] def readScope(mark: Int, in: BlockReader): Scope = mark match {
    case KeyMark    => OfKey
    case GlobalMark => OfWindow(WindowCollector.Global, WindowCollector.Global)
    case WindowMark =>
      val start = in.signed()
      OfWindow(start, start + in.unsigned())
    case other => throw new CorruptBlockException(s"function state of an unknown kind, $other")
  }
}

object FunctionState {

  /** Owner of state: the key or a window. */
  sealed trait Scope extends Comparable[Scope] {
    def compareTo(other: Scope): Int = (this, other) match {
      case (OfKey, OfKey)                       => 0
      case (OfKey, _)                           => -1
      case (_, OfKey)                           => 1
      case (OfWindow(s1, e1), OfWindow(s2, e2)) =>
        if (s1 != s2) java.lang.Long.compare(s1, s2) else java.lang.Long.compare(e1, e2)
    }
  }

  case object OfKey                                 extends Scope
  final case class OfWindow(start: Long, end: Long) extends Scope

  /** The scope of a window's own state. */
  def of(window: Window): OfWindow = window match {
    case TimeWindow(start, end) => OfWindow(start, end)
    case GlobalWindow           => OfWindow(WindowCollector.Global, WindowCollector.Global)
  }

  private val KeyMark    = 0
  private val WindowMark = 1
  private val GlobalMark = 2
  private val ExpiryMark = 3
  private val PiecesMark = 4

  /** The expiry of a value that does not expire. */
  val Never: Long = Long.MaxValue

  /** A state, or until it is read its pieces and what is in none. The bytes are also those written last. */
  private final class Entry {
    var state: StoredState         = _
    var bytes: Array[Byte]         = _
    var stored: Vector[StatePiece] = Vector.empty
    var clock: TimeDomain          = TimeDomain.EventTime
    var expiry: Long               = Never

    def inPieces: Seq[StatePiece] = if (state == null) stored else state.inPieces
  }
}
