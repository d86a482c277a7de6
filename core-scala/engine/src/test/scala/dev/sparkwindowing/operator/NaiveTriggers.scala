package dev.sparkwindowing.operator

/** Times that a trigger of the model sees; Long.MinValue before the first.
  *
  * @param last
  *   the last millisecond of the window
  */
final case class NaiveTimes(watermark: Long, clock: Long, last: Long)

final case class NaiveTimer(eventTime: Boolean, time: Long)

final case class NaiveAnswer(fire: Boolean, purge: Boolean)

/** A trigger of one window, with its own memory and timers, written for clarity. */
sealed abstract class NaiveNode {
  def element(at: Long, now: NaiveTimes): NaiveAnswer
  def timer(timer: NaiveTimer, isCleanup: Boolean, now: NaiveTimes): NaiveAnswer
  def endOfBatch: NaiveTimes => NaiveAnswer = _ => NaiveNode.Continue
  def restart(now: NaiveTimes): Unit
  def timers: Set[NaiveTimer]
}

object NaiveNode {
  val Continue: NaiveAnswer = NaiveAnswer(fire = false, purge = false)
  val Fire: NaiveAnswer     = NaiveAnswer(fire = true, purge = false)

  def fireIf(condition: Boolean): NaiveAnswer = if (condition) Fire else Continue

  sealed abstract class Leaf extends NaiveNode {
    protected var own: Set[NaiveTimer] = Set.empty
    def timers: Set[NaiveTimer]        = own

    final def timer(timer: NaiveTimer, isCleanup: Boolean, now: NaiveTimes): NaiveAnswer = {
      own -= timer
      called(timer, now)
    }
    protected def called(timer: NaiveTimer, now: NaiveTimes): NaiveAnswer
    protected def setEvent(time: Long): Unit = own += NaiveTimer(eventTime = true, time)
    protected def setClock(time: Long): Unit = own += NaiveTimer(eventTime = false, time)
  }

  final class Count(n: Long) extends Leaf {
    private var count                                   = 0L
    def element(at: Long, now: NaiveTimes): NaiveAnswer = {
      count += 1
      val full = count >= n
      if (full) count = 0
      fireIf(full)
    }
    protected def called(timer: NaiveTimer, now: NaiveTimes): NaiveAnswer = Continue
    def restart(now: NaiveTimes): Unit                                    = count = 0
  }

  final class End extends Leaf {
    def element(at: Long, now: NaiveTimes): NaiveAnswer = {
      if (now.last > now.watermark) setEvent(now.last)
      fireIf(now.last <= now.watermark)
    }
    protected def called(timer: NaiveTimer, now: NaiveTimes): NaiveAnswer =
      fireIf(timer == NaiveTimer(eventTime = true, now.last))
    def restart(now: NaiveTimes): Unit = ()
  }

  final class EndByClock extends Leaf {
    def element(at: Long, now: NaiveTimes): NaiveAnswer = {
      setClock(now.last)
      Continue
    }
    protected def called(timer: NaiveTimer, now: NaiveTimes): NaiveAnswer = fireIf(!timer.eventTime)
    def restart(now: NaiveTimes): Unit                                    = ()
  }

  /** At each multiple of the interval that the watermark, or processing time, passes. */
  final class Every(interval: Long, eventTime: Boolean) extends Leaf {
    private var next = Option.empty[Long]

    private def set(time: Long): Unit = {
      next.foreach(n => own -= NaiveTimer(eventTime, n))
      next = Some(time)
      own += NaiveTimer(eventTime, time)
    }

    def element(at: Long, now: NaiveTimes): NaiveAnswer =
      if (eventTime && now.last <= now.watermark) Fire
      else {
        if (eventTime) setEvent(now.last)
        val from = if (eventTime) at else now.clock
        if (next.isEmpty) set((from - from % interval + interval).min(now.last))
        Continue
      }

    protected def called(timer: NaiveTimer, now: NaiveTimes): NaiveAnswer = {
      val isNext = timer.eventTime == eventTime && next.contains(timer.time)
      if (isNext && timer.time != now.last) set((timer.time + interval).min(now.last))
      fireIf(isNext || (eventTime && timer == NaiveTimer(eventTime = true, now.last)))
    }

    def restart(now: NaiveTimes): Unit = next.foreach { n =>
      val later = ((if (eventTime) now.watermark else now.clock) + interval).min(now.last)
      if (later > n) set(later)
    }
  }

  final class Batch extends Leaf {
    private var pending                                 = false
    def element(at: Long, now: NaiveTimes): NaiveAnswer = {
      pending = true
      if (now.last > now.watermark) setEvent(now.last)
      Continue
    }
    override def endOfBatch: NaiveTimes => NaiveAnswer = { _ =>
      val fires = pending
      pending = false
      fireIf(fires)
    }
    protected def called(timer: NaiveTimer, now: NaiveTimes): NaiveAnswer =
      if (timer.eventTime) endOfBatch(now) else Continue
    def restart(now: NaiveTimes): Unit = pending = false
  }

  /** A trigger that changes the answers of another one. */
  sealed abstract class Around(inner: NaiveNode) extends NaiveNode {
    protected def changed(answer: NaiveAnswer): NaiveAnswer
    def element(at: Long, now: NaiveTimes): NaiveAnswer                            = changed(inner.element(at, now))
    def timer(timer: NaiveTimer, isCleanup: Boolean, now: NaiveTimes): NaiveAnswer =
      changed(inner.timer(timer, isCleanup, now))
    override def endOfBatch: NaiveTimes => NaiveAnswer = now => changed(inner.endOfBatch(now))
    def restart(now: NaiveTimes): Unit                 = inner.restart(now)
    def timers: Set[NaiveTimer]                        = inner.timers
  }

  final class Purging(inner: NaiveNode) extends Around(inner) {
    protected def changed(answer: NaiveAnswer): NaiveAnswer = answer.copy(purge = answer.purge || answer.fire)
  }

  final class Once(inner: NaiveNode) extends Around(inner) {
    private var fired                                       = false
    protected def changed(answer: NaiveAnswer): NaiveAnswer = {
      val first = answer.fire && !fired
      fired |= answer.fire
      answer.copy(fire = first)
    }
  }

  /** A trigger of several parts: calls those that a call concerns, and decides on their answers. */
  sealed abstract class Several(parts: IndexedSeq[NaiveNode]) extends NaiveNode {
    protected def decide(answers: Map[Int, NaiveAnswer], now: NaiveTimes): NaiveAnswer

    private def ask(now: NaiveTimes)(which: NaiveNode => Boolean)(call: NaiveNode => NaiveAnswer): NaiveAnswer = {
      val concerned = parts.indices.filter(i => which(parts(i)))
      decide(concerned.map(i => i -> call(parts(i))).toMap, now)
    }

    def element(at: Long, now: NaiveTimes): NaiveAnswer = ask(now)(_ => true)(_.element(at, now))
    def timer(timer: NaiveTimer, isCleanup: Boolean, now: NaiveTimes): NaiveAnswer =
      ask(now)(p => isCleanup || p.timers(timer))(_.timer(timer, isCleanup, now))
    override def endOfBatch: NaiveTimes => NaiveAnswer = now => ask(now)(_ => true)(_.endOfBatch(now))
    def restart(now: NaiveTimes): Unit                 = parts.foreach(_.restart(now))
    def timers: Set[NaiveTimer]                        = parts.flatMap(_.timers).toSet
  }

  final class AnyOf(parts: IndexedSeq[NaiveNode], restarts: Boolean) extends Several(parts) {
    protected def decide(answers: Map[Int, NaiveAnswer], now: NaiveTimes): NaiveAnswer = {
      val fired = answers.collect { case (i, answer) if answer.fire => i }.toSet
      if (restarts && fired.nonEmpty) parts.indices.filterNot(fired).foreach(parts(_).restart(now))
      NaiveAnswer(fired.nonEmpty, answers.values.exists(_.purge))
    }
  }

  final class AllOf(parts: IndexedSeq[NaiveNode]) extends Several(parts) {
    private var known  = Set.empty[Int]
    private var purges = false

    protected def decide(answers: Map[Int, NaiveAnswer], now: NaiveTimes): NaiveAnswer = {
      val fired = answers.collect { case (i, answer) if answer.fire => i }.toSet
      known ++= fired
      purges |= answers.values.exists(_.purge)
      if (known.size < parts.size) Continue
      else {
        val answer = NaiveAnswer(fire = true, purges)
        forget()
        parts.indices.filterNot(fired).foreach(parts(_).restart(now))
        answer
      }
    }

    private def forget(): Unit = {
      known = Set.empty
      purges = false
    }

    override def restart(now: NaiveTimes): Unit = {
      super.restart(now)
      forget()
    }
  }

  /** Early firings, the one at the end, and late ones; the firing at the end begins with new triggers. */
  final class Phases(early: Option[() => NaiveNode], late: Option[() => NaiveNode]) extends NaiveNode {
    private var before  = early.map(_())
    private var behind  = late.map(_())
    private var end     = Option.empty[NaiveTimer]
    private var pending = false

    def timers: Set[NaiveTimer] = (before ++ behind).flatMap(_.timers).toSet ++ end

    private def shown(answer: NaiveAnswer): NaiveAnswer = {
      if (answer.fire) pending = false
      answer
    }

    def element(at: Long, now: NaiveTimes): NaiveAnswer = {
      val over = now.last <= now.watermark
      pending = true
      if (!over) end = Some(NaiveTimer(eventTime = true, now.last))
      shown((if (over) behind else before).fold(fireIf(over))(_.element(at, now)))
    }

    def timer(timer: NaiveTimer, isCleanup: Boolean, now: NaiveTimes): NaiveAnswer =
      if (end.contains(timer)) {
        before = early.map(_())
        behind = late.map(_())
        end = None
        shown(Fire)
      } else {
        val answers = (before ++ behind).filter(_.timers(timer)).map(_.timer(timer, isCleanup, now)).toSeq
        val fires   = answers.exists(_.fire) || (isCleanup && pending)
        shown(NaiveAnswer(fires, answers.exists(_.purge) && !(isCleanup && pending)))
      }

    override def endOfBatch: NaiveTimes => NaiveAnswer = now =>
      shown((if (now.last <= now.watermark) behind else before).fold(Continue)(_.endOfBatch(now)))

    def restart(now: NaiveTimes): Unit = {
      (before ++ behind).foreach(_.restart(now))
      pending = false
    }
  }
}
