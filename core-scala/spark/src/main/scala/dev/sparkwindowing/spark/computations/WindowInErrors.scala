package dev.sparkwindowing.spark.computations

import dev.sparkwindowing.windows.{GlobalWindow, TimeWindow, Window}

import java.time.Instant

/** Text of a window in an error: its bounds as instants of UTC, the end exclusive. */
private[spark] object WindowInErrors {

  def text(window: Window): String = window match {
    case TimeWindow(start, end) => s"[${Instant.ofEpochMilli(start)}, ${Instant.ofEpochMilli(end)})"
    case GlobalWindow           => GlobalWindow.toString
  }
}
