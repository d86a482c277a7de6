package dev.sparkwindowing.state

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException, ValueCodec}
import dev.sparkwindowing.functions.TimeDomain
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
  * @param onChange
  *   called whenever a value is set or removed
  */
final class FunctionState private[state] (onChange: () => Unit) {
  import FunctionState._

  private[this] val scopes = new TreeMap[Scope, TreeMap[String, Entry]]
  private[this] val value  = new BlockWriter

  // Values with an expiry: most states have none, and are asked for it for every key.
  private[this] var expiringCount = 0

  def isEmpty: Boolean = scopes.isEmpty

  /** The value of that name, if there is one. */
  def get[T](scope: Scope, name: String, codec: ValueCodec[T]): Option[T] =
    Option(entryOf(scope, name)).map { entry =>
      if (entry.bytes != null) {
        entry.value = codec.read(new BlockReader().open(entry.bytes, 0, entry.bytes.length))
        entry.codec = codec
        entry.bytes = null
      }
      entry.value.asInstanceOf[T]
    }

  // Null if there is none.
  private[this] def entryOf(scope: Scope, name: String): Entry = {
    val names = scopes.get(scope)
    if (names == null) null else names.get(name)
  }

  def put[T](scope: Scope, name: String, value: T, codec: ValueCodec[T]): Unit = {
    val entry = new Entry
    entry.value = value
    entry.codec = codec
    forget(scopes.computeIfAbsent(scope, _ => new TreeMap[String, Entry]).put(name, entry))
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

  private[this] def forget(entry: Entry): Unit = if (entry != null && entry.expiry != Never) expiringCount -= 1

  /** Sets the time of a clock, in milliseconds, at which a value of the key expires; [[Never]] for none. */
  def setExpiry(name: String, clock: TimeDomain, time: Long): Unit = {
    val entry = entryOf(OfKey, name)
    if (entry != null) {
      expireAt(entry, clock, time)
      onChange()
    }
  }

  private[this] def expireAt(entry: Entry, clock: TimeDomain, time: Long): Unit = {
    forget(entry)
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
  }

  private[state] def write(out: BlockWriter): Unit = {
    val expiring = expiringEntries
    out.unsigned(scopes.size.toLong + (if (expiring.isEmpty) 0 else 1))
    // Most keys have none, and this runs for every key that is written.
    if (!scopes.isEmpty) scopes.asScala.foreach { case (scope, names) =>
      writeScope(scope, out)
      out.unsigned(names.size.toLong)
      names.asScala.foreach { case (name, entry) =>
        out.block(name.getBytes(UTF_8))
        out.block(bytesOf(entry))
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

  private[this] def bytesOf(entry: Entry): Array[Byte] =
    if (entry.bytes != null) entry.bytes
    else {
      value.reset()
      entry.codec.asInstanceOf[ValueCodec[Any]].write(entry.value, value)
      value.toBytes
    }

  /** All values as bytes, by scope and name. */
  private[state] def bytes: Map[Scope, Map[String, Array[Byte]]] =
    scopes.asScala.iterator.map { case (scope, names) =>
      scope -> names.asScala.iterator.map { case (name, entry) => name -> bytesOf(entry) }.toMap
    }.toMap

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
      if (mark == ExpiryMark) readExpiries(in) else readNames(readScope(mark, in), in)
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

  private[this] def readExpiries(in: BlockReader): Unit = {
    var n = in.count(3)
    while (n > 0) {
      val name  = new String(in.block(), UTF_8)
      val entry = entryOf(OfKey, name)
      if (entry == null) throw new CorruptBlockException(s"an expiry of the state '$name', which is not there")
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

  /** The expiry of a value that does not expire. */
  val Never: Long = Long.MaxValue

  /** A value, or its bytes until it is read. */
  private final class Entry {
    var value: Any           = _
    var codec: ValueCodec[_] = _
    var bytes: Array[Byte]   = _
    var clock: TimeDomain    = TimeDomain.EventTime
    var expiry: Long         = Never
  }
}
