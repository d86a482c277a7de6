package dev.sparkwindowing.conformance

import org.apache.flink.api.common.ExecutionConfig
import org.apache.flink.api.common.typeutils.TypeSerializer
import org.apache.flink.streaming.api.windowing.assigners.WindowAssigner
import org.apache.flink.streaming.api.windowing.triggers.{EventTimeTrigger, Trigger}
import org.apache.flink.streaming.api.windowing.windows.TimeWindow

import java.util.{ArrayList, Collection}

/** Assigners that Flink has in SQL only. */
object FlinkAssigners {

  /** Windows of CUMULATE: `steps` of them start together and end `step` apart. */
  final class Cumulative(step: Long, steps: Long, offset: Long) extends WindowAssigner[Object, TimeWindow] {
    if (step <= 0 || steps <= 0 || math.abs(offset) >= step * steps) throw new IllegalArgumentException("no grid")

    def assignWindows(
        element: Object,
        timestamp: Long,
        context: WindowAssigner.WindowAssignerContext
    ): Collection[TimeWindow] = {
      if (timestamp == Long.MinValue) throw new RuntimeException("no timestamp")
      val start   = TimeWindow.getWindowStartWithOffset(timestamp, offset, step * steps)
      val windows = new ArrayList[TimeWindow]
      for (k <- steps to 1L by -1 if start + k * step > timestamp) windows.add(new TimeWindow(start, start + k * step))
      windows
    }

    def getDefaultTrigger: Trigger[Object, TimeWindow]                                    = EventTimeTrigger.create()
    def getWindowSerializer(executionConfig: ExecutionConfig): TypeSerializer[TimeWindow] = new TimeWindow.Serializer
    def isEventTime: Boolean                                                              = true
  }
}
