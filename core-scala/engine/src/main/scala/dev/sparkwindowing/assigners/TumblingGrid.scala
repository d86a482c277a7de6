package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.windows.Millis

import java.time.Duration

/** Argument check shared by the tumbling assigners. */
private[assigners] object TumblingGrid {

  def check(name: String, size: Duration, offset: Duration): (Long, Long) = {
    val s = Millis.of("size", size)
    val o = Millis.of("offset", offset)
    if (s <= 0 || o <= -s || o >= s)
      throw new IllegalArgumentException(
        s"$name: size must be positive and abs(offset) < size, got size = ${Millis.show(s)}, offset = ${Millis.show(o)}"
      )
    (s, o)
  }

  def spec(name: String, size: Long, offset: Long, stagger: WindowStagger): Spec =
    PartSpec(name, Seq("size" -> Spec.millis(size)))
      .option("offset", Spec.millis(offset), Spec.millis(0))
      .option("stagger", Spec.Text(stagger.name), Spec.Text(WindowStagger.Aligned.name))
}
