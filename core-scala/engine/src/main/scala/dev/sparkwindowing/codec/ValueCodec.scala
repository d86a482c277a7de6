package dev.sparkwindowing.codec

import java.nio.charset.StandardCharsets.UTF_8
import scala.collection.mutable

/** Writes values of one type to the state of a key, and reads them. */
trait ValueCodec[T] extends Serializable {
  def write(value: T, out: BlockWriter): Unit

  /** Reads the output of `write`, and no byte more. */
  def read(in: BlockReader): T

  /** About the number of bytes that `write` writes; 0 if it takes long to say. */
  def sizeOf(value: T): Int = 0
}

object ValueCodec {

  /** Codec of lists, in order; `codec` must write at least one byte per value. */
  def list[T](codec: ValueCodec[T]): ValueCodec[Seq[T]] = new ValueCodec[Seq[T]] {
    def write(values: Seq[T], out: BlockWriter): Unit = {
      out.unsigned(values.size.toLong)
      values.foreach(codec.write(_, out))
    }
    def read(in: BlockReader): Seq[T] = Vector.fill(in.count(1))(codec.read(in))
  }

  /** Codec of maps, in insertion order of their keys. */
  def map[K, V](keys: ValueCodec[K], values: ValueCodec[V]): ValueCodec[mutable.LinkedHashMap[K, V]] = {
    val pairs = list(new ValueCodec[(K, V)] {
      def write(pair: (K, V), out: BlockWriter): Unit = {
        keys.write(pair._1, out)
        values.write(pair._2, out)
      }
      def read(in: BlockReader): (K, V) = keys.read(in) -> values.read(in)
    })
    new ValueCodec[mutable.LinkedHashMap[K, V]] {
      def write(map: mutable.LinkedHashMap[K, V], out: BlockWriter): Unit = pairs.write(map.toSeq, out)
      def read(in: BlockReader): mutable.LinkedHashMap[K, V]              = mutable.LinkedHashMap(pairs.read(in): _*)
    }
  }

  val long: ValueCodec[java.lang.Long] = new ValueCodec[java.lang.Long] {
    def write(value: java.lang.Long, out: BlockWriter): Unit = out.signed(value)
    def read(in: BlockReader): java.lang.Long                = in.signed()
  }

  val string: ValueCodec[String] = new ValueCodec[String] {
    def write(value: String, out: BlockWriter): Unit = out.block(value.getBytes(UTF_8))
    def read(in: BlockReader): String                = new String(in.block(), UTF_8)
    override def sizeOf(value: String): Int          = value.length + 1
  }
}
