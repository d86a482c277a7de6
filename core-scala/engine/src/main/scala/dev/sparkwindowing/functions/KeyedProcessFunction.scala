package dev.sparkwindowing.functions

/** Processes the elements of a key one by one, with state and timers, without windows.
  *
  * @tparam K
  *   the key
  * @tparam I
  *   an element
  * @tparam O
  *   a result
  */
abstract class KeyedProcessFunction[K, I, O] extends Serializable {

  /** Processes an element. No element is late here: compare its timestamp with the watermark if that matters. */
  def processElement(value: I, context: KeyedProcessFunction.Context[K], out: Collector[O]): Unit

  /** Called when a timer set for `timestamp` fires. */
  def onTimer(timestamp: Long, context: KeyedProcessFunction.OnTimerContext[K], out: Collector[O]): Unit = ()

  /** True if the function sets timers of that clock. An operator with timers of one clock asks. By default it sets
    * timers of event time.
    */
  def setsTimers(clock: TimeDomain): Boolean = clock == TimeDomain.EventTime
}

object KeyedProcessFunction {

  /** Context of an element. Valid during the call only. */
  trait Context[K] {

    /** The event time of the element, or the time of the timer; None for an element without event time. */
    def timestamp: Option[Long]
    def timerService: TimerService
    def currentKey: K

    /** State of the key, checkpointed with it; it stays until the function clears it. */
    def state: KeyedStateStore

    /** Emits a record to a side output.
      *
      * @throws java.lang.IllegalArgumentException
      *   if the tag is null or was not declared
      */
    def output[X](tag: OutputTag[X], value: X): Unit
  }

  /** Context of a timer, with its time domain. */
  trait OnTimerContext[K] extends Context[K] {
    def timeDomain: TimeDomain
  }
}

/** Time domain of a timer. */
sealed trait TimeDomain

object TimeDomain {
  case object EventTime      extends TimeDomain
  case object ProcessingTime extends TimeDomain
}
