package dev.sparkwindowing.spark.functions

import dev.sparkwindowing.contents.{ElementList, WindowContents}
import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.spark.rows.RowElements
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, GenericInternalRow, NamedExpression}
import org.apache.spark.sql.types.{StructField, StructType}

/** The pairs of the rows of two inputs in a window, over the rows of a tagged union. A key that holds a null joins
  * nothing, as in SQL.
  *
  * @param inputs
  *   the structs of the left and the right input
  * @param keyCount
  *   the number of key columns
  * @param keepsLeft
  *   whether a row of the left input without partner is put out, with null in place of the right one
  * @param keepsRight
  *   the same of the right input
  */
private[sparkwindowing] final class WindowJoin(
    inputs: Seq[Attribute],
    keyCount: Int,
    keepsLeft: Boolean,
    keepsRight: Boolean
) extends Computation {
  @transient val arguments: Seq[NamedExpression] = inputs

  val schema: StructType =
    StructType(inputs.map(a => StructField(a.name, a.dataType, nullable = true)))

  def specs: Seq[Spec] = Seq(PartSpec(kind))

  private def kind = (keepsLeft, keepsRight) match {
    case (false, false) => "inner join"
    case (true, false)  => "left join"
    case (false, true)  => "right join"
    case (true, true)   => "full join"
  }

  def stateSchema: StructType      = schema
  def keptContents: ContentsFormat = ContentsFormat.Rows
  def isOrderInsensitive: Boolean  = true
  override def isReusable: Boolean = true

  def inTask(ordinals: Array[Int], fields: Int): TaskComputation[ElementList[InternalRow]] =
    new TaskComputation[ElementList[InternalRow]] {
      private[this] val Array(left, right) = ordinals
      private[this] val widths             = schema.map(_.dataType.asInstanceOf[StructType].length)
      private[this] val leftWidth          = widths.head
      private[this] val rightWidth         = widths.last
      private[this] val pair               = new GenericInternalRow(2)

      val contents: WindowContents[InternalRow, ElementList[InternalRow]] = RowElements.contents(fields)

      def fireElements(rows: ElementList[InternalRow], firing: FiringContext, out: InternalRow => Unit): Unit =
        fire(rows, firing, out)

      def fire(rows: ElementList[InternalRow], firing: FiringContext, out: InternalRow => Unit): Unit = {
        val rights  = rowsOf(rows, right, rightWidth)
        val count   = rights.length
        val joins   = !hasNull(firing.key)
        var hasLeft = false
        var i       = 0
        while (i < rows.size) {
          val row = rows(i)
          if (!row.isNullAt(left)) {
            hasLeft = true
            pair.update(0, row.getStruct(left, leftWidth))
            if (joins && count > 0) putOut(rights, out)
            else if (keepsLeft) {
              pair.update(1, null)
              out(pair)
            }
          }
          i += 1
        }
        if (keepsRight && !(joins && hasLeft)) {
          pair.update(0, null)
          putOut(rights, out)
        }
      }

      private[this] def putOut(rights: Array[InternalRow], out: InternalRow => Unit): Unit = {
        var i = 0
        while (i < rights.length) {
          pair.update(1, rights(i))
          out(pair)
          i += 1
        }
      }

      private[this] def rowsOf(rows: ElementList[InternalRow], at: Int, width: Int): Array[InternalRow] = {
        val found = Array.newBuilder[InternalRow]
        var i     = 0
        while (i < rows.size) {
          val row = rows(i)
          if (!row.isNullAt(at)) found += row.getStruct(at, width)
          i += 1
        }
        found.result()
      }

      private[this] def hasNull(key: InternalRow): Boolean = {
        var i = 0
        while (i < keyCount && !key.isNullAt(i)) i += 1
        i < keyCount
      }
    }
}
