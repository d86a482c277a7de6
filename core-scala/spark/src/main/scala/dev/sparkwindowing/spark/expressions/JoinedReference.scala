package dev.sparkwindowing.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodeGenerator, CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.{JoinedRow, LeafExpression}
import org.apache.spark.sql.types.DataType

/** Column of one of the rows of a `JoinedRow`. A `BoundReference` to a column of the joined row would search for its
  * row at each access, which costs more than the access.
  *
  * @param path
  *   the sides from the joined row down to the row
  * @param ordinal
  *   the position in that row
  */
private[sparkwindowing] final case class JoinedReference(
    path: Seq[JoinedReference.Side],
    ordinal: Int,
    dataType: DataType,
    nullable: Boolean
) extends LeafExpression {

  override def toString: String = s"${path.mkString(".")}[$ordinal]"

  override def eval(input: InternalRow): Any = {
    val row = path.foldLeft(input)((row, side) => side.of(row.asInstanceOf[JoinedRow]))
    InternalRow.getAccessor(dataType, nullable)(row, ordinal)
  }

  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode = {
    val joined   = classOf[JoinedRow].getName
    val row      = path.foldLeft(context.INPUT_ROW)((row, side) => s"(($joined) $row).${side.getter}()")
    val javaType = CodeGenerator.javaType(dataType)
    val value    = CodeGenerator.getValue(row, dataType, ordinal.toString)
    if (nullable)
      code.copy(code =
        code"""
              |boolean ${code.isNull} = $row.isNullAt($ordinal);
              |$javaType ${code.value} = ${code.isNull} ? ${CodeGenerator.defaultValue(dataType)} : ($value);
        """.stripMargin
      )
    else code.copy(code = code"$javaType ${code.value} = $value;", isNull = FalseLiteral)
  }
}

private[sparkwindowing] object JoinedReference {

  /** One of the two rows of a joined row. */
  sealed abstract class Side(val getter: String, val of: JoinedRow => InternalRow) extends Serializable

  case object Left  extends Side("getLeft", _.getLeft)
  case object Right extends Side("getRight", _.getRight)

  def right(ordinal: Int, dataType: DataType, nullable: Boolean): JoinedReference =
    JoinedReference(Seq(Right), ordinal, dataType, nullable)
}
