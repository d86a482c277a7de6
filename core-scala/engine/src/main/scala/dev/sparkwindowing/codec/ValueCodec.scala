package dev.sparkwindowing.codec

import java.nio.charset.StandardCharsets.UTF_8
import scala.collection.immutable.VectorMap

/** How values of one type are written into the state of a key, and read back. */
trait ValueCodec[T] extends Serializable {
  def write(value: T, out: BlockWriter): Unit

  /** Reads what `write` wrote, and no byte more. */
  def read(in: BlockReader): T
}

object ValueCodec {

  /** Lists of values of that codec, which writes at least a byte each, in their order. */
  def list[T](codec: ValueCodec[T]): ValueCodec[Seq[T]] = new ValueCodec[Seq[T]] {
    def write(values: Seq[T], out: BlockWriter): Unit = {
      out.unsigned(values.size.toLong)
      values.foreach(codec.write(_, out))
    }
    def read(in: BlockReader): Seq[T] = Vector.fill(in.count(1))(codec.read(in))
  }

  /** Maps, in the order in which their keys were first put in. */
  def map[K, V](keys: ValueCodec[K], values: ValueCodec[V]): ValueCodec[VectorMap[K, V]] = {
    val pairs = list(new ValueCodec[(K, V)] {
      def write(pair: (K, V), out: BlockWriter): Unit = {
        keys.write(pair._1, out)
        values.write(pair._2, out)
      }
      def read(in: BlockReader): (K, V) = keys.read(in) -> values.read(in)
    })
    new ValueCodec[VectorMap[K, V]] {
      def write(map: VectorMap[K, V], out: BlockWriter): Unit = pairs.write(map.toSeq, out)
      def read(in: BlockReader): VectorMap[K, V]              = VectorMap.from(pairs.read(in))
    }
  }

  val long: ValueCodec[java.lang.Long] = new ValueCodec[java.lang.Long] {
    def write(value: java.lang.Long, out: BlockWriter): Unit = out.signed(value)
    def read(in: BlockReader): java.lang.Long                = in.signed()
  }

  val string: ValueCodec[String] = new ValueCodec[String] {
    def write(value: String, out: BlockWriter): Unit = out.block(value.getBytes(UTF_8))
    def read(in: BlockReader): String                = new String(in.block(), UTF_8)
  }
}
