package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.windows.Millis

import java.time.Duration

/** Size, offset and stagger of tumbling windows, for the assigners of both clocks. */
private[assigners] trait TumblingWindows extends StaggeredWindowAssigner[Any] with Product {
  def size: Long
  def offset: Long
  def stagger: WindowStagger

  def isStaggered: Boolean                  = stagger != WindowStagger.Aligned
  def drawShift(processingTime: Long): Long = stagger.shift(processingTime, size)

  override def spec: Spec = PartSpec(productPrefix, Seq("size" -> Spec.millis(size)))
    .option("offset", Spec.millis(offset), Spec.millis(0))
    .option("stagger", Spec.Text(stagger.name), Spec.Text(WindowStagger.Aligned.name))
}

private[assigners] object TumblingWindows {

  /** Size and offset in milliseconds. */
  def check(name: String, size: Duration, offset: Duration, stagger: WindowStagger): (Long, Long) = {
    if (stagger == null) throw new NullPointerException("stagger must not be null")
    val s = Millis.of("size", size)
    val o = Millis.of("offset", offset)
    if (s <= 0 || o <= -s || o >= s)
      Millis.refuse(s"$name: size must be positive and abs(offset) < size", "size" -> s, "offset" -> o)
    (s, o)
  }
}
