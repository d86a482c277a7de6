package dev.sparkwindowing.spark.task

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{InterpretedUnsafeProjection, Literal, UnsafeRow}
import org.apache.spark.sql.types.DataType

import scala.util.Try

/** Summary of a partition of the state: times before which none of its keys has a timer, and the sums over its rows. So
  * a task that has no [[TimerIndex]] need not read all keys to know that none is due.
  *
  * It holds for one version of the state, that of the micro-batch that wrote it.
  */
private[task] final case class SavedIndex(version: Long, eventTimer: Long, processingTimer: Long, sums: StateSums) {

  /** Bytes that `SavedIndex.of` reads. */
  def toBytes: Array[Byte] = {
    val out = new BlockWriter
    out.byte(SavedIndex.Format)
    out.unsigned(version)
    out.signed(eventTimer)
    out.signed(processingTimer)
    sums.write(out)
    out.seal()
    out.toBytes
  }
}

private[spark] object SavedIndex {

  /** The number of the piece that it is. Those of keys begin with 0. */
  val Piece: Long = -1L

  // Another one if the sums change their meaning. No block begins with it.
  private val Format = 0x81

  /** None if the bytes are damaged, or of a later format. */
  private[task] def of(bytes: Array[Byte]): Option[SavedIndex] =
    try {
      val in = new BlockReader().open(bytes, 0, bytes.length)
      in.unseal(0)
      if (in.byte() == Format) Some(SavedIndex(in.unsigned(), in.signed(), in.signed(), StateSums.read(in))) else None
    } catch { case _: CorruptBlockException => None }

  /** The key whose piece it is: of default values, such as 0 and the empty string, since a tool that reads keys may
    * want a value in each column. None if a type has no such value.
    */
  def owner(types: Seq[DataType]): Option[UnsafeRow] = Try {
    val values = types.map(Literal.default)
    InterpretedUnsafeProjection.createProjection(values).apply(InternalRow.empty).copy()
  }.toOption
}
