package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.assigners.GlobalWindows
import dev.sparkwindowing.triggers._

/** Refuses, when a query starts, triggers that could never fire in it or would never stop. */
private[sparkwindowing] object EndlessTriggers {

  /** @throws java.lang.IllegalArgumentException
    *   for the end of the stream on a stream, and for firing at intervals of event time up to the end of all time
    */
  def refuse(program: WindowProgram, isStreaming: Boolean): Unit = all(program.trigger).foreach {
    case _: EndOfStreamTrigger if isStreaming =>
      throw new IllegalArgumentException(
        "EndOfStreamTrigger on a stream: a stream never ends, so it would never fire and the state would only grow. Take " +
          "another trigger, e.g. .trigger(CountTrigger.of(100)), or a static DataFrame"
      )
    case trigger: ContinuousEventTimeTrigger if !isStreaming && isGlobal(program) =>
      throw new IllegalArgumentException(
        s"$trigger on the global window of a static DataFrame would fire without end: the watermark at its end is that " +
          "of all time. Take event-time windows, e.g. TumblingEventTimeWindows"
      )
    case _ => ()
  }

  private def isGlobal(program: WindowProgram): Boolean = (program.assigner: Any).isInstanceOf[GlobalWindows]

  private def all(trigger: Trigger[_]): Seq[Trigger[_]] = trigger +: (trigger match {
    case PurgingTrigger(nested)                    => all(nested)
    case OnceTrigger(nested)                       => all(nested)
    case ProcessingTimeoutTrigger(nested, _, _, _) => all(nested)
    case AnyTrigger(parts)                         => parts.flatMap(all)
    case _                                         => Nil
  })
}
