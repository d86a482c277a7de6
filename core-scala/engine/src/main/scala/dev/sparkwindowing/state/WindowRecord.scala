package dev.sparkwindowing.state

import dev.sparkwindowing.windows.{Window, WindowCollector}

/** State of one window of a key: bounds, contents, trigger state, and which of its usual timers are set.
  *
  * Timers at the window's end and clean-up are bits here and not entries of a [[TimerSet]], since every window has
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

  /** Unchanged contents, decoded or not, as bytes of a page, or of the key's block if that is null; length -1 if there
    * are none.
    */
  var pageBytes: Array[Byte] = _
  var encodedAt: Int         = 0
  var encodedLength: Int     = -1

  /** Time of the latest timer call since the key was opened, and the number of calls that did not advance it, which is
    * limited.
    */
  var calledAt: Long  = Long.MinValue
  var timerCalls: Int = 0

  /** True if the window has fired since the key was opened, and its contents have not changed since. */
  var isUnchanged: Boolean = false

  /** True if the window got an element since the key was opened. */
  var hasGrown: Boolean = false

  /** True if it got an element since the key was opened that no firing has shown. */
  var isUnfired: Boolean = false

  /** Number of firings so far, including those of sessions merged into this one. This field and the following are used
    * only if panes are recorded.
    */
  var firings: Long = 0

  /** True if the window itself has fired, not only a session merged into it. */
  var hasFired: Boolean = false

  /** Sessions that had fired and were merged into this one since its last firing with other contents; null if there is
    * none.
    */
  var replaced: WindowCollector = _

  /** True if a firing has shown `replaced`, and the contents have not changed since: only firings that repeat it show
    * them again.
    */
  var isReplacedShown: Boolean = false

  private[this] var cachedWindow: Window = _

  def maxTimestamp: Long = WindowCollector.maxTimestamp(start, end)

  def window: Window = {
    if (cachedWindow == null) cachedWindow = WindowCollector.window(start, end)
    cachedWindow
  }

  /** Sets the contents that were added to: usually the same object. */
  def keep(changed: C): Unit = if (contents ne changed) contents = changed

  def hasContents: Boolean = contents != null || encodedLength >= 0

  /** Takes over the contents of another record of the key, decoded or not. */
  def takeContents(other: WindowRecord[C]): Unit = {
    contents = other.contents
    pageBytes = other.pageBytes
    encodedAt = other.encodedAt
    encodedLength = other.encodedLength
  }

  def dropContents(): Unit = {
    contents = null.asInstanceOf[C]
    pageBytes = null
    encodedLength = -1
  }

  /** Records that an element was added. */
  def markChanged(): Unit = {
    hasGrown = true
    isUnfired = true
    isUnchanged = false
    isFilled = false
    if (isReplacedShown) forgetReplaced()
  }

  /** Records that the window has fired.
    *
    * @param unchanged
    *   whether its contents are the same as before the firing
    */
  def markFired(unchanged: Boolean): Unit = {
    isUnfired = false
    isUnchanged = unchanged
    if (unchanged) isReplacedShown = replaced != null else forgetReplaced()
  }

  /** Records that a session which had fired was merged into this one. */
  def replace(start: Long, end: Long): Unit = {
    if (replaced == null) replaced = new WindowCollector
    replaced.add(start, end)
  }

  /** Forgets the merged sessions: a firing with other contents does not show them. */
  def forgetReplaced(): Unit = {
    replaced = null
    isReplacedShown = false
  }

  /** True if the window has fired without elements, and got none since. */
  var isFilled: Boolean = false

  /** True if firings must be stored. */
  def hasPanes: Boolean = firings != 0 || replaced != null || isFilled

  def forgetPanes(): Unit = {
    firings = 0
    hasFired = false
    isFilled = false
    forgetReplaced()
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
    hasGrown = false
    isUnfired = false
    forgetPanes()
    cachedWindow = null
  }

  /** The values that are set, as `numbersSet` has the numbers: bit i is that of value i. */
  def valuesSet: Long = {
    var set = 0L
    var i   = 0
    while (i < values.length) {
      if (values(i) != null) set |= 1L << i
      i += 1
    }
    set
  }

  /** True if the record has no information. */
  def isBlank: Boolean = timers == 0 && numbersSet == 0L && !hasContents && firings == 0 && valuesSet == 0L && !isFilled
}

object WindowRecord {

  /** An event-time timer at the window's last millisecond. */
  val EventEnd = 1

  /** An event-time timer at the window's clean-up, if that is later than its last millisecond. */
  val EventCleanup = 2

  /** A processing-time timer at the window's last millisecond. */
  val ProcessingEnd = 4
}
