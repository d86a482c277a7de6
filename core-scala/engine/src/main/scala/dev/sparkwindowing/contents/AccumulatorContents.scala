package dev.sparkwindowing.contents

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}

/** Contents with one accumulator per window, as an aggregate needs, whatever the number of elements.
  *
  * `merge` runs only when two or more live sessions merge, never for an element that merely extends one.
  */
abstract class AccumulatorContents[E, A <: AnyRef](codec: ValueCodec[A]) extends WindowContents[E, A] {

  def createAccumulator(): A

  def add(accumulator: A, element: E): A

  final def empty(): A                                          = createAccumulator()
  final def add(accumulator: A, element: E, timestamp: Long): A = add(accumulator, element)
  final def write(accumulator: A, out: BlockWriter): Unit       = codec.write(accumulator, out)
  final def read(in: BlockReader): A                            = codec.read(in)
}
