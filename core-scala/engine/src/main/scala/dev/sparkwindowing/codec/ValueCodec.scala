package dev.sparkwindowing.codec

import java.nio.charset.StandardCharsets.UTF_8

/** How values of one type are written into the state of a key, and read back. */
trait ValueCodec[T] extends Serializable {
  def write(value: T, out: BlockWriter): Unit

  /** Reads what `write` wrote, and no byte more. */
  def read(in: BlockReader): T
}

object ValueCodec {

  val long: ValueCodec[java.lang.Long] = new ValueCodec[java.lang.Long] {
    def write(value: java.lang.Long, out: BlockWriter): Unit = out.signed(value)
    def read(in: BlockReader): java.lang.Long                = in.signed()
  }

  val string: ValueCodec[String] = new ValueCodec[String] {
    def write(value: String, out: BlockWriter): Unit = out.block(value.getBytes(UTF_8))
    def read(in: BlockReader): String                = new String(in.block(), UTF_8)
  }
}
