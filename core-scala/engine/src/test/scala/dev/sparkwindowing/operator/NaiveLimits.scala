package dev.sparkwindowing.operator

/** An element of sessions that end: its time, the end of its own window, and whether it ends its session. */
final case class NaiveRow(time: Long, ownEnd: Long, isEnd: Boolean)

/** A live session: its bounds, the time of its last element, and whether an element has ended it. */
final case class NaiveSession(start: Long, end: Long, last: Long, isEnded: Boolean) {

  def contains(time: Long): Boolean = start <= time && time < end

  /** True if the two touch, and none of them lies behind the end of the other. */
  def meets(other: NaiveSession): Boolean = {
    def behind(a: NaiveSession, b: NaiveSession) = a.isEnded && b.start >= a.end
    start <= other.end && end >= other.start && !behind(this, other) && !behind(other, this)
  }
}

/** The sessions that an element joins, with sets and searches and no thought of speed. */
final case class NaiveLimits(maxLength: Long, byClock: Boolean) {

  def row(time: Long, gap: Long, isEnd: Boolean): NaiveRow =
    NaiveRow(time, if (isEnd) time + 1 else time + math.min(gap, maxLength), isEnd)

  /** @return
    *   the sessions that the element joins, and the session that they become
    */
  def join(
      live: List[NaiveSession],
      written: NaiveRow,
      isOpen: NaiveSession => Boolean
  ): (List[NaiveSession], NaiveSession) = {
    val own   = NaiveSession(written.time, written.ownEnd, written.time, written.isEnd)
    val ahead = live.filter(s => s.isEnded && s.end > written.time && s.meets(own)).map(_.end).reduceOption(_ min _)
    val row   = written.copy(ownEnd = ahead.fold(written.ownEnd)(math.min(written.ownEnd, _)))

    def session(parts: List[NaiveSession]): NaiveSession = {
      val start   = (row.time :: parts.map(_.start)).min
      val last    = (row.time :: parts.map(_.last)).max
      val isEnded = row.isEnd || parts.exists(_.isEnded)
      val end     =
        if (!isEnded) (math.min(row.ownEnd, start + maxLength) +: parts.map(_.end)).max
        else {
          val behind = (last + 1 :: parts.filter(_.isEnded).map(_.end)).max
          val latest = (behind :: parts.map(_.end)).max
          if (parts.isEmpty) behind
          else (behind to latest).find(e => isOpen(NaiveSession(start, e, last, isEnded))).getOrElse(latest)
        }
      NaiveSession(start, end, last, isEnded)
    }
    def fits(parts: List[NaiveSession]): Boolean = {
      val s = session(parts)
      s.end - s.start <= maxLength && row.time < s.start + maxLength
    }
    def more(parts: List[NaiveSession]): List[NaiveSession] =
      live.filter(s => !parts.contains(s) && s.meets(session(parts)) && fits(s :: parts)).sortBy(_.start) match {
        case Nil        => parts
        case first :: _ => more(first :: parts)
      }
    val parts = more(live.filter(_.contains(row.time)).sortBy(-_.start).take(1))
    (parts, session(parts))
  }
}
