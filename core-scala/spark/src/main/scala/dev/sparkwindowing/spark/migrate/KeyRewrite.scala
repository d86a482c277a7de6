package dev.sparkwindowing.spark.migrate

import dev.sparkwindowing.pieces.PieceSizes
import dev.sparkwindowing.spark.checkpoint.StateRow
import dev.sparkwindowing.spark.portable.PortableState
import dev.sparkwindowing.spark.task.StorePieces
import dev.sparkwindowing.state.KeyStateReader.StateKind
import dev.sparkwindowing.state.KeyStateRewriter
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.sql.types.StructType

/** Writes the keys of a partition anew in its store, in a task.
  *
  * @param keyFields
  *   number of key columns
  * @param values
  *   the row of a key
  * @param sizes
  *   of its pieces; None if it has none
  */
private[migrate] final case class KeyRewrite(
    kept: StateKind,
    buffer: Option[BufferChange],
    fingerprint: Option[Long],
    keyFields: Int,
    values: StructType,
    sizes: Option[PieceSizes]
) extends (StateStore => Unit) {

  def apply(store: StateStore): Unit = {
    val rewriter = new KeyStateRewriter(kept, buffer.fold[Array[Byte] => Array[Byte]](identity)(_.inTask()))
    fingerprint.fold(native(store, rewriter))(portable(store, rewriter, _))
  }

  private def native(store: StateStore, rewriter: KeyStateRewriter): Unit = {
    val pieces = sizes.map(new StorePieces(store, keyFields, _, () => ())).orNull
    val writer = new StateRow.Writer
    keys(store)(StateRow.isPiece) { (key, row) =>
      val block = rewriter(StateRow.block(row), if (pieces == null) null else pieces.of(key))
      writer(
        block,
        StateRow.eventTimer(row),
        StateRow.processingTimer(row),
        StateRow.windows(row),
        StateRow.eventTimers(row),
        StateRow.processingTimers(row)
      )
    }
  }

  // Its row has the state as a struct of one value, and a time if the query has timers.
  private def portable(store: StateStore, rewriter: KeyStateRewriter, specification: Long): Unit = {
    val project = UnsafeProjection.create(values)
    keys(store)(_.isNullAt(0)) { (_, row) =>
      val state = row.getStruct(0, 1).getBinary(0)
      val anew  = PortableState.withOther(state, specification)(rewriter(_, null))
      val rest  = (1 until values.length).map(i => row.get(i, values(i).dataType))
      project(InternalRow.fromSeq(new GenericInternalRow(Array[Any](anew)) +: rest))
    }
  }

  private def keys(store: StateStore)(isOther: UnsafeRow => Boolean)(anew: (UnsafeRow, UnsafeRow) => UnsafeRow): Unit =
    store.iterator().foreach { pair =>
      if (!isOther(pair.value)) {
        // The store may use both again when a piece is read.
        val key = pair.key.copy()
        store.put(key, anew(key, pair.value.copy()))
      }
    }
}
