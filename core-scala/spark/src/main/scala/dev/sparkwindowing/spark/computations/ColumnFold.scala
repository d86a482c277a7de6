package dev.sparkwindowing.spark.computations

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException}
import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.spark.expressions.RowFunction
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, JoinedRow, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.unsafe.Platform

/** Window function written as columns: one struct per window, to which rows are added.
  *
  * @param kept
  *   type of the struct
  * @param initial
  *   the struct before the first row, a constant
  * @param add
  *   the struct after adding a row, over a row of the query and the struct
  * @param merge
  *   the struct of two merged windows, over two structs; None if the windows do not merge
  * @param getResult
  *   the columns of the result as a struct, or its one column; over the struct. A null result emits no row
  * @param isMergeable
  *   whether it is declared that rows may be added in any order to several structs, which are then merged
  */
private[sparkwindowing] final class ColumnFold(
    val name: String,
    kept: StructType,
    val initial: RowFunction,
    val add: RowFunction,
    val merge: Option[RowFunction],
    val getResult: RowFunction,
    isMergeable: Boolean
) extends PartialComputation {

  def schema: StructType = getResult.dataType match {
    case s: StructType => StructType(s.map(f => StructField(f.name, f.dataType)))
    case other         => StructType(Seq(StructField("result", other)))
  }

  def specs: Seq[Spec] = Seq(
    PartSpec(
      name,
      Seq("createAccumulator" -> initial, "add" -> add).map(sql) ++ merge.map("merge" -> _).map(sql) :+
        sql("getResult" -> getResult)
    )
  )

  private def sql(column: (String, RowFunction)): (String, Spec) = column._1 -> Spec.Sql(column._2.text)

  def stateSchema: StructType = kept

  def keptContents: ContentsFormat = ContentsFormat.Struct(kept)

  def needsOrder: Option[String] = if (isMergeable) None else Some(s"$name is not declared mergeable")

  def partialSchema: StructType = StructType(Seq(StructField("accumulator", kept)))

  def inTask(ordinals: Array[Int], fields: Int): PartialContents[UnsafeRow] = new ColumnFold.Task(this)

  def mergeInTask(first: Int): TaskComputation[UnsafeRow] = {
    val accumulator = UnsafeProjection.create(Seq(BoundReference(first, kept, nullable = true)))
    new MergedPartials[UnsafeRow](new ColumnFold.Task(this), accumulator(_).copy())
  }
}

private[sparkwindowing] object ColumnFold {

  /** Contents are a row of one column, the struct, so that the struct may be null. Rows are never changed in place. */
  private final class Task(fold: ColumnFold) extends PartialContents[UnsafeRow] {
    private[this] val both     = new JoinedRow
    private[this] val initial  = fold.initial(InternalRow.empty).copy()
    private[this] val isStruct = fold.getResult.dataType.isInstanceOf[StructType]

    protected val schema: StructType = fold.schema

    def empty(): UnsafeRow = initial

    def copy(kept: UnsafeRow): UnsafeRow      = kept
    def written(kept: UnsafeRow): InternalRow = kept
    def sizeOf(kept: UnsafeRow): Long         = 100L + kept.getSizeInBytes

    def add(kept: UnsafeRow, row: InternalRow, timestamp: Long): UnsafeRow = fold.add(row, kept).copy()

    def merge(kept: UnsafeRow, merged: UnsafeRow): UnsafeRow = fold.merge match {
      case Some(f) => f(both(kept, merged)).copy()
      case None    => throw new IllegalStateException(s"${fold.name} has no merge")
    }

    def write(kept: UnsafeRow, out: BlockWriter): Unit = {
      val bytes = kept.getBytes
      out.raw(bytes, 0, bytes.length)
    }

    def read(in: BlockReader): UnsafeRow = {
      val size = in.remaining
      if (size < 2 * UnsafeRow.WORD_SIZE || size % UnsafeRow.WORD_SIZE != 0)
        throw new CorruptBlockException(s"an accumulator of $size bytes")
      val row = new UnsafeRow(1)
      row.pointTo(in.source, Platform.BYTE_ARRAY_OFFSET.toLong + in.position, size)
      in.skip(size)
      row
    }

    protected def resultOf(kept: UnsafeRow): Option[InternalRow] = {
      val row = fold.getResult(kept)
      if (row.isNullAt(0)) None else Some(if (isStruct) row.getStruct(0, schema.length) else row)
    }
  }
}
