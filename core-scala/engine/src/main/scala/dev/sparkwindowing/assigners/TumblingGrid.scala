package dev.sparkwindowing.assigners

import dev.sparkwindowing.windows.Millis

import java.time.Duration

/** The argument check that the tumbling assigners share. */
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

  def show(size: Long, offset: Long, stagger: WindowStagger): String = {
    val shift = if (offset == 0) "" else s", offset = ${Millis.show(offset)}"
    val drawn = if (stagger == WindowStagger.Aligned) "" else s", stagger = $stagger"
    s"${Millis.show(size)}$shift$drawn"
  }
}
