package dev.sparkwindowing.functions

/** Works on the elements of a key one by one, with state and timers: for what is no window.
  *
  * @tparam K
  *   the key
  * @tparam I
  *   an element
  * @tparam O
  *   a result
  */
abstract class KeyedProcessFunction[K, I, O] extends Serializable {

  /** An element came. No element is late here: compare its timestamp with the watermark if that matters. */
  def processElement(value: I, context: KeyedProcessFunction.Context[K], out: Collector[O]): Unit

  /** A timer that was set for `timestamp` is due. */
  def onTimer(timestamp: Long, context: KeyedProcessFunction.OnTimerContext[K], out: Collector[O]): Unit = ()
}

object KeyedProcessFunction {

  /** What a function sees beside the element. Valid during the call only. */
  trait Context[K] {

    /** The event time of the element, or the time of the timer; None for an element that has none. */
    def timestamp: Option[Long]
    def timerService: TimerService
    def currentKey: K

    /** State of the key, checkpointed with it; stays until the function clears it. */
    def state: KeyedStateStore

    /** Puts out a record to a side output.
      *
      * @throws java.lang.IllegalArgumentException
      *   if the tag is null or was not declared
      */
    def output[X](tag: OutputTag[X], value: X): Unit
  }

  /** The context of a timer, which belongs to one of the two clocks. */
  trait OnTimerContext[K] extends Context[K] {
    def timeDomain: TimeDomain
  }
}

/** Which clock a timer belongs to. */
sealed trait TimeDomain

object TimeDomain {
  case object EventTime      extends TimeDomain
  case object ProcessingTime extends TimeDomain
}
