package dev.sparkwindowing.state

import dev.sparkwindowing.assigners.WindowCollector
import dev.sparkwindowing.windows.Window

/** What a key remembers of one window: bounds, contents, what the trigger keeps, and which of its usual timers are set.
  *
  * Timers at the window's end and at its clean-up are bits here and not entries of a [[TimerSet]]: every window has
  * them. Records are reused from key to key.
  */
final class WindowRecord[C <: AnyRef](numberCount: Int, valueCount: Int) {
  var start: Long = 0
  var end: Long   = 0

  /** The timers that are set: a sum of the constants in the companion. */
  var timers: Int = 0

  val numbers: Array[Long]  = new Array[Long](numberCount)
  var numbersSet: Long      = 0L
  val values: Array[AnyRef] = new Array[AnyRef](valueCount)

  /** The decoded contents; null if there are none, or if they are still bytes. */
  var contents: C = _

  /** Where in the key's block the contents lie while nobody has changed them, decoded or not; a length of -1 means they
    * do not.
    */
  var encodedAt: Int     = 0
  var encodedLength: Int = -1

  /** The latest timer that was called since the key was opened, and how often others were which must come to an end.
    */
  var calledAt: Long  = Long.MinValue
  var timerCalls: Int = 0

  /** Whether the window has fired since the key was opened, and nothing came or went since then. */
  var isUnchanged: Boolean = false

  /** Firings so far, those of sessions that became part of it among them. This and what follows only if panes are
    * remembered.
    */
  var firings: Long = 0

  /** Whether the window itself has fired, not only sessions in it. */
  var hasFired: Boolean = false

  /** Whether it has fired at or behind its end. */
  var hasFiredOnTime: Boolean = false

  /** Sessions that have fired, became part of this one, and were not told of yet; null if there is none. */
  var replaced: WindowCollector = _

  private[this] var cachedWindow: Window = _

  def maxTimestamp: Long = WindowCollector.maxTimestamp(start, end)

  def window: Window = {
    if (cachedWindow == null) cachedWindow = WindowCollector.window(start, end)
    cachedWindow
  }

  def hasContents: Boolean = contents != null || encodedLength >= 0

  def dropContents(): Unit = {
    contents = null.asInstanceOf[C]
    encodedLength = -1
  }

  /** An element was added. */
  def grew(): Unit =
    if (isUnchanged) {
      isUnchanged = false
      replaced = null
    }

  /** The window has fired.
    *
    * @param unchanged
    *   whether its contents are the same as before
    */
  def told(unchanged: Boolean): Unit = {
    isUnchanged = unchanged
    if (!unchanged) replaced = null
  }

  /** A session that has fired became part of this one. */
  def replace(start: Long, end: Long): Unit = {
    if (replaced == null) replaced = new WindowCollector
    replaced.add(start, end)
  }

  /** Whether there is something to remember of firings. */
  def hasPanes: Boolean = firings != 0 || (replaced != null && !isUnchanged)

  def forgetPanes(): Unit = {
    firings = 0
    hasFired = false
    hasFiredOnTime = false
    replaced = null
  }

  def reset(start: Long, end: Long): Unit = {
    this.start = start
    this.end = end
    timers = 0
    numbersSet = 0L
    java.util.Arrays.fill(values, null)
    dropContents()
    calledAt = Long.MinValue
    timerCalls = 0
    isUnchanged = false
    forgetPanes()
    cachedWindow = null
  }

  def hasValues: Boolean = {
    var i = 0
    while (i < values.length && values(i) == null) i += 1
    i < values.length
  }

  /** Whether nothing would be lost with the record. */
  def isBlank: Boolean = timers == 0 && numbersSet == 0L && !hasContents && firings == 0 && !hasValues
}

object WindowRecord {

  /** An event-time timer at the window's last millisecond. */
  val EventEnd = 1

  /** An event-time timer at the window's clean-up, where that is later than its last millisecond. */
  val EventCleanup = 2

  /** A processing-time timer at the window's last millisecond. */
  val ProcessingEnd = 4
}
