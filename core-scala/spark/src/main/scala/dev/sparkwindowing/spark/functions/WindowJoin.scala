package dev.sparkwindowing.spark.functions

import dev.sparkwindowing.contents.{ElementList, WindowContents}
import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.functions.JoinKind
import dev.sparkwindowing.spark.rows.RowElements
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
  @transient val arguments: Seq[NamedExpression] = inputs

  val schema: StructType = StructType(inputs.map(a => StructField(a.name, a.dataType, nullable = true)))

  def specs: Seq[Spec]             = Seq(kind.spec)
  def stateSchema: StructType      = schema
  def keptContents: ContentsFormat = ContentsFormat.Rows
  def isOrderInsensitive: Boolean  = true
  override def isReusable: Boolean = true

  def inTask(ordinals: Array[Int], fields: Int): TaskComputation[ElementList[InternalRow]] =
    new TaskComputation[ElementList[InternalRow]] {
      private[this] val Array(left, right)                 = ordinals
      private[this] val Seq(leftWidth, rightWidth)         = schema.map(_.dataType.asInstanceOf[StructType].length)
      private[this] val pair                               = new GenericInternalRow(2)
      private[this] var out: InternalRow => Unit           = _
      private[this] val isLeft: JoinKind.Side[InternalRow] = row => !row.isNullAt(left)

      // The left row of the last pair, whose struct `pair` holds.
      private[this] var last: InternalRow = _

      private[this] val pairs: JoinKind.Pairs[InternalRow] = (l, r) => {
        if (l == null) pair.update(0, null)
        else if (l ne last) pair.update(0, l.getStruct(left, leftWidth))
        last = l
        pair.update(1, if (r == null) null else r.getStruct(right, rightWidth))
        out(pair)
      }

      val contents: WindowContents[InternalRow, ElementList[InternalRow]] = RowElements.contents(fields)

      def fire(rows: ElementList[InternalRow], firing: FiringContext, out: InternalRow => Unit): Unit = {
        this.out = out
        last = null
        kind.join(rows, isLeft, matches = !hasNull(firing.key), pairs)
      }

      def fireElements(rows: ElementList[InternalRow], firing: FiringContext, out: InternalRow => Unit): Unit =
        fire(rows, firing, out)

      private[this] def hasNull(key: InternalRow): Boolean = {
        var i = 0
        while (i < keyCount && !key.isNullAt(i)) i += 1
        i < keyCount
      }
    }
}
