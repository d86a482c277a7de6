package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.assigners.{
  GlobalWindows,
  LimitedSessionWindows,
  MergingWindowAssigner,
  OverEventTimeWindows,
  WindowAssigner
}
import dev.sparkwindowing.declaration.Part
import dev.sparkwindowing.evictors.Evictor
import dev.sparkwindowing.operator.WindowSpec
import dev.sparkwindowing.spark.functions.KeyedWork
import dev.sparkwindowing.triggers.{Trigger, TriggerMemory}
import org.apache.spark.sql.catalyst.InternalRow

/** Declared assigner, trigger, evictor, allowed lateness and options of a windowed stream.
  *
  * @param allowedLateness
  *   milliseconds
  * @param lateTag
  *   tag of the side output of late rows
  * @param pane
  *   whether a result has a column that distinguishes the firings of its window
  * @param collapsesFirings
  *   whether only the last of several firings of a window in one step with equal contents is emitted
  * @param allowsStateChange
  *   whether state from other rules is taken over, where that is safe
  * @param withRow
  *   whether a result has a column with the element that its window ends with
  */
private[sparkwindowing] final case class WindowRules(
    assigner: WindowAssigner[InternalRow],
    trigger: Trigger[InternalRow],
    evictor: Option[Evictor[InternalRow]] = None,
    allowedLateness: Long = 0L,
    lateTag: Option[String] = None,
    pane: Boolean = false,
    collapsesFirings: Boolean = false,
    allowsStateChange: Boolean = false,
    withRow: Boolean = false
) {

  /** These rules, after checking that their parts fit together. */
  def checked: WindowRules = {
    WindowSpec.check(assigner, trigger, allowedLateness)
    evictor.foreach(Part.check)
    evictor.foreach(WindowSpec.checkEvictor(assigner, _))
    if (withRow && over.isEmpty)
      throw new UnsupportedOperationException(
        s"a window of $assigner ends with no row of its own that with_row (withRow in Scala) could show: take " +
          "OverEventTimeWindows, one window for each row"
      )
    this
  }

  /** @throws java.lang.IllegalArgumentException
    *   for a trigger that would never fire or never stop firing: one for the end of the input on a stream, or one that
    *   fires at intervals of event time up to the end of time. Checked when a query starts
    */
  def refuseEndless(isStreaming: Boolean): Unit = trigger.tree.foreach {
    case inner: Trigger[_] if isStreaming && inner.needsEndOfInput =>
      throw new IllegalArgumentException(
        s"$inner on a stream: a stream never ends, so it would never fire and the state would only grow. Take another " +
          "trigger, e.g. .trigger(CountTrigger.of(100)), or a static DataFrame"
      )
    case inner: Trigger[_] if !isStreaming && isGlobal && inner.firesToEndOfTime =>
      throw new IllegalArgumentException(
        s"$inner on the global window of a static DataFrame would fire without end: the watermark at its end is that of " +
          "all time. Take event-time windows, e.g. TumblingEventTimeWindows"
      )
    case _ => ()
  }

  /** Time of the results. */
  def resultTime: ResultTime =
    if (isGlobal) ResultTime.NoEnd else ResultTime.EndOfWindow

  private def isGlobal: Boolean = (assigner: Any).isInstanceOf[GlobalWindows]

  /** State of a window besides its contents: that of the trigger, then that of sessions that rows can end. */
  def memory: TriggerMemory = trigger.memory ++ LimitedSessionWindows.memoryOf(assigner)

  /** The over windows, if the windows are such. */
  def over: Option[OverEventTimeWindows] = (assigner: Any) match {
    case windows: OverEventTimeWindows => Some(windows)
    case _                             => None
  }

  /** True if the bounds of a window are known from its first element on, so that it can have state of its own. */
  def hasWindowState: Boolean = !isMerging && !over.exists(_.countsRows)

  /** True if the order of a key's rows affects the results of a computation.
    *
    * In sessions it does: a row whose own session is late is accepted if it merges with a session of earlier rows.
    */
  def seesOrder(computation: KeyedWork): Boolean =
    !computation.isOrderInsensitive || trigger.needsEachElement(allowedLateness) || evictor.nonEmpty || isMerging ||
      over.exists(_.countsRows) || withRow

  def isMerging: Boolean = assigner.isInstanceOf[MergingWindowAssigner[_]]
}
