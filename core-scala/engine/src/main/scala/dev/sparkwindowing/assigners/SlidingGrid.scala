package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.windows.{Millis, TimeWindow, WindowCollector}

import java.time.Duration

/** Argument check and window assignment shared by the sliding assigners. */
private[assigners] object SlidingGrid {

  def check(name: String, size: Duration, slide: Duration, offset: Duration): (Long, Long, Long) = {
    val s = Millis.of("size", size)
    val d = Millis.of("slide", slide)
    val o = Millis.of("offset", offset)
    if (s <= 0 || d <= 0 || o <= -d || o >= d)
      throw new IllegalArgumentException(
        s"$name: size and slide must be positive and abs(offset) < slide, got " +
          s"size = ${Millis.show(s)}, slide = ${Millis.show(d)}, offset = ${Millis.show(o)}"
      )
    (s, d, o)
  }

  /** Adds the windows that contain `time`, newest first. */
  def assign(time: Long, size: Long, slide: Long, offset: Long, windows: WindowCollector): Unit = {
    var start = TimeWindow.startOf(time, offset, slide)
    while (start > time - size) {
      windows.add(start, start + size)
      start -= slide
    }
  }

  def spec(name: String, size: Long, slide: Long, offset: Long): Spec =
    PartSpec(name, Seq("size" -> Spec.millis(size), "slide" -> Spec.millis(slide)))
      .option("offset", Spec.millis(offset), Spec.millis(0))
}
