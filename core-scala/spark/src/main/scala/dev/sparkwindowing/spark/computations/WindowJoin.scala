package dev.sparkwindowing.spark.computations

import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.functions.{JoinKind, JoinPairs}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, GenericInternalRow, NamedExpression}
import org.apache.spark.sql.types.{StructField, StructType}

/** The join of two inputs in a window, over the rows of a tagged union. A key with a null has no partners, as in SQL.
  *
  * @param inputs
  *   the structs of the left and the right input
  * @param keyCount
  *   the number of key columns
  */
private[sparkwindowing] final class WindowJoin(inputs: Seq[Attribute], keyCount: Int, kind: JoinKind)
    extends Computation {
  @transient override val arguments: Seq[NamedExpression] = inputs

  val schema: StructType = StructType(inputs.map(a => StructField(a.name, a.dataType, nullable = true)))

  def specs: Seq[Spec]                     = Seq(kind.spec)
  def stateSchema: StructType              = schema
  def keptContents: ContentsFormat         = ContentsFormat.Rows
  override def isOrderInsensitive: Boolean = true
  override def isReusable: Boolean         = true

  def inTask(ordinals: Array[Int], fields: Int): TaskComputation[ElementList[InternalRow]] =
    new TaskOnElements(fields) {
      private[this] val Array(left, right)                 = ordinals
      private[this] val Seq(leftWidth, rightWidth)         = schema.map(_.dataType.asInstanceOf[StructType].length)
      private[this] val isLeft: JoinKind.Side[InternalRow] = row => !row.isNullAt(left)

      def fire(rows: ElementList[InternalRow], firing: FiringContext, out: InternalRow => Unit): Unit =
        firing.pull(rowsOf(kind.pairs(rows, isLeft, matches = !hasNull(firing.key))))

      // The same row again and again.
      private[this] def rowsOf(pairs: JoinPairs[InternalRow]): Iterator[InternalRow] = new Iterator[InternalRow] {
        private[this] val pair = new GenericInternalRow(2)

        // The left row whose struct `pair` holds.
        private[this] var last: InternalRow = _

        def hasNext: Boolean = pairs.hasNext

        def next(): InternalRow = {
          pairs.advance()
          val (l, r) = (pairs.left, pairs.right)
          if (l ne last) pair.update(0, if (l == null) null else l.getStruct(left, leftWidth))
          last = l
          pair.update(1, if (r == null) null else r.getStruct(right, rightWidth))
          pair
        }
      }

      private[this] def hasNull(key: InternalRow): Boolean = {
        var i = 0
        while (i < keyCount && !key.isNullAt(i)) i += 1
        i < keyCount
      }
    }
}
