package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.{Part, PartSpec, Spec}
import dev.sparkwindowing.triggers.{Trigger, TriggerMemory}
import dev.sparkwindowing.windows.{Millis, WindowCollector}

import java.time.Duration

/** Sessions with a greatest length, or with elements that end them. Two live sessions of a key can overlap, if the
  * session that they would become is longer than the greatest length. Build it with
  * [[SessionWindowAssigner.withMaxLength]] and [[SessionWindowAssigner.endsAt]].
  *
  * @param sessions
  *   the sessions without these limits
  * @param maxLength
  *   milliseconds; `Long.MaxValue` if there is no greatest length
  */
final case class LimitedSessionWindows[-E] private (
    sessions: SessionWindowAssigner[E],
    maxLength: Long,
    end: Option[SessionEnd[E]]
) extends SessionWindowAssigner[E] {

  // Without the allocation of an Option for each element.
  private val endOrNull: SessionEnd[E] = end.orNull

  /** True if elements can end a session. */
  def hasEnds: Boolean = end.isDefined

  /** True if the element ends its session. */
  def isEnd(element: E): Boolean = endOrNull != null && endOrNull.isEnd(element)

  /** The window of one element; one that ends its session needs no gap. */
  def assignWindows(element: E, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit =
    if (isEnd(element)) {
      val time = if (isEventTime) timestamp else processingTime
      windows.add(time, time + 1)
    } else {
      sessions.assignWindows(element, timestamp, processingTime, windows)
      windows.shortenLast(maxLength)
    }

  def defaultTrigger: Trigger[Any] = sessions.defaultTrigger
  def isEventTime: Boolean         = sessions.isEventTime

  private[assigners] override def fixedGap: Option[Long] = sessions.fixedGap

  override def withMaxLength(maxLength: Duration): LimitedSessionWindows[E] = {
    val owner = name.takeWhile(_ != '.')
    val max   = Millis.positive(s"$owner: max length", maxLength)
    fixedGap.filter(_ > max).foreach { gap =>
      Millis.refuse(s"$owner: max length must not be shorter than the gap", "max length" -> max, "gap" -> gap)
    }
    copy(maxLength = max)
  }

  override def endsAt[F <: E](end: SessionEnd[F]): LimitedSessionWindows[F] = {
    if (end == null) throw new NullPointerException("the end of sessions must not be null")
    new LimitedSessionWindows[F](sessions, maxLength, Some(end))
  }

  override def children: Seq[Part] = sessions +: end.toSeq

  override def withChildren(children: Seq[Part]): WindowAssigner[E] = (children: @unchecked) match {
    case Seq(other: SessionWindowAssigner[E @unchecked])                                 => copy(sessions = other)
    case Seq(other: SessionWindowAssigner[E @unchecked], last: SessionEnd[E @unchecked]) =>
      copy(other, end = Some(last))
  }

  private def plain: PartSpec = sessions.spec match {
    case part: PartSpec => part
    case other          => PartSpec(other.toString)
  }

  private def name: String = plain.name

  override def spec: Spec = {
    val options = Seq("maxLength" -> Spec.millis(maxLength)).filter(_ => maxLength != Long.MaxValue) ++
      end.map("endsAt" -> _.spec)
    // The last element of a session is known by its gap.
    val fixed = plain.arguments.map {
      case (name, Spec.Free(value, _)) => name -> value
      case other                       => other
    }
    plain.copy(arguments = fixed, options = plain.options ++ options)
  }
}

object LimitedSessionWindows {

  /** State of a session, after the numbers of the trigger: the time of its last element, which a session that has been
    * ended no longer needs. Empty unless elements can end the sessions of `assigner`.
    */
  private[sparkwindowing] def memoryOf(assigner: WindowAssigner[_]): TriggerMemory = assigner match {
    case limited: LimitedSessionWindows[_] if limited.hasEnds => LastElement
    case _                                                    => TriggerMemory.None
  }

  private val LastElement = TriggerMemory.time("last_element")

  private[assigners] def of[E](sessions: SessionWindowAssigner[E]): LimitedSessionWindows[E] =
    new LimitedSessionWindows(sessions, Long.MaxValue, None)
}
