package dev.sparkwindowing.spark.expressions

import dev.sparkwindowing.spark.rows.RowsBehind
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.types.{DataType, LongType}

/** The event time of a row, which is counted on its way; null for null, which is not counted.
  *
  * @param child
  *   milliseconds
  */
private[spark] final case class MeasuredTime(child: Expression, rows: RowsBehind) extends UnaryExpression {

  // Spark evaluates it once for each row, whether it is read or not.
  override lazy val deterministic: Boolean = false

  override def dataType: DataType = LongType
  override def prettyName: String = "measured_time"

  override protected def nullSafeEval(time: Any): Any = rows.add(time.asInstanceOf[Long])

  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode = {
    val behind = context.addReferenceObj("behind", rows, classOf[RowsBehind].getName)
    defineCodeGen(context, code, time => s"$behind.add($time)")
  }

  override protected def withNewChildInternal(newChild: Expression): MeasuredTime = copy(child = newChild)
}
