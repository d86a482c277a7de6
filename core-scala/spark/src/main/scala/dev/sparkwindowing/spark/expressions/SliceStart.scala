package dev.sparkwindowing.spark.expressions

import dev.sparkwindowing.windows.TimeSlices
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.types.{DataType, LongType}

/** Start of the slice that contains a time, computed by the engine; null for null.
  *
  * @param child
  *   milliseconds
  */
private[spark] final case class SliceStart(child: Expression, grid: TimeSlices) extends UnaryExpression {

  override def dataType: DataType = LongType
  override def prettyName: String = "slice_start"

  override protected def nullSafeEval(time: Any): Any = grid.sliceStart(time.asInstanceOf[Long])

  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode = {
    val slices = context.addReferenceObj("slices", grid, classOf[TimeSlices].getName)
    defineCodeGen(context, code, time => s"$slices.sliceStart($time)")
  }

  override protected def withNewChildInternal(newChild: Expression): SliceStart = copy(child = newChild)
}
