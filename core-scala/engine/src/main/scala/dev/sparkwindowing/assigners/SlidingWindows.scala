package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.windows.{Millis, TimeWindow, WindowCollector}

import java.time.Duration

/** Size, slide and offset of sliding windows, for the assigners of both clocks. */
private[assigners] trait SlidingWindows extends WindowAssigner[Any] with Product {
  def size: Long
  def slide: Long
  def offset: Long

  override def spec: Spec =
    PartSpec(productPrefix, Seq("size" -> Spec.millis(size), "slide" -> Spec.millis(slide)))
      .option("offset", Spec.millis(offset), Spec.millis(0))
}

private[assigners] object SlidingWindows {

  /** Size, slide and offset in milliseconds. */
  def check(name: String, size: Duration, slide: Duration, offset: Duration): (Long, Long, Long) = {
    val s = Millis.of("size", size)
    val d = Millis.of("slide", slide)
    val o = Millis.of("offset", offset)
    if (s <= 0 || d <= 0 || o <= -d || o >= d)
      Millis.refuse(
        s"$name: size and slide must be positive and abs(offset) < slide",
        "size"   -> s,
        "slide"  -> d,
        "offset" -> o
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
}
