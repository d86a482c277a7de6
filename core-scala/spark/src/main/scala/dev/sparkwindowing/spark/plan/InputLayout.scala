package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.spark.expressions.{Columns, FunctionText, KeyTypes}
import org.apache.spark.sql.SparkWindowingBridge
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, Literal, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan, Project}
import org.apache.spark.sql.types.{DataType, LongType, Metadata, MetadataBuilder, StructField, StructType}

import scala.collection.mutable.ArrayBuffer

/** Positions of columns in the operator's input rows: keys first, then the event time, then everything else.
  *
  * @param timeOrdinal
  *   position of the event time, a BIGINT of milliseconds; null in a row without event time
  * @param argumentOrdinals
  *   positions of the arguments of the functions
  * @param partOrdinals
  *   positions of the columns of assigner, trigger and evictor
  * @param rowOrdinals
  *   positions of the input's own columns, in order; empty if they are not needed
  * @param columns
  *   names and types of all columns
  * @param keyTexts
  *   the keys as declared, equal at every start of a query
  * @param rowsOrdinal
  *   position of the number of rows that a row stands for; None if each row stands for itself
  * @param exactOrdinal
  *   position of the event time where that may be finer than milliseconds and the order of the rows matters
  */
final class InputLayout(
    val keyCount: Int,
    val timeOrdinal: Int,
    val argumentOrdinals: Array[Int],
    val partOrdinals: Array[Int],
    val rowOrdinals: Array[Int],
    val columns: StructType,
    val keyTexts: Seq[String],
    rowsOrdinal: Option[Int] = None,
    exactOrdinal: Option[Int] = None
) extends Serializable {
  val types: Array[DataType] = columns.fields.map(_.dataType)

  def keyTypes: Seq[DataType] = types.take(keyCount).toSeq

  /** Position of the column by which the rows of a key are sorted. */
  def orderOrdinal: Int = exactOrdinal.getOrElse(timeOrdinal)

  /** Number of columns that assigner, trigger, evictor and functions read; the columns after them are for late rows
    * only.
    */
  def readCount: Int = (argumentOrdinals ++ partOrdinals :+ timeOrdinal).max + 1

  /** Number of rows that a row stands for. */
  def rowsOf(row: InternalRow): Long = rowsOrdinal.fold(1L)(row.getLong)
}

object InputLayout {

  /** The projection below the operator, and the positions in its output. Equal expressions share a column.
    *
    * Only the event time carries Spark's watermark mark: the operator needs exactly one, and Spark must not choose
    * another column.
    *
    * @param row
    *   the input columns of a late row; empty if there is no late side output
    * @param exact
    *   the event time to sort by, if the milliseconds are not enough
    */
  def project(
      child: LogicalPlan,
      keys: Seq[NamedExpression],
      time: Option[Expression],
      arguments: Seq[NamedExpression],
      parts: Seq[NamedExpression],
      row: Seq[NamedExpression],
      exact: Option[Expression]
  ): (InputLayout, Project) = {
    val columns = ArrayBuffer.empty[Alias]
    keys.foreach { k =>
      columns += Alias(SparkWindowingBridge.normalizeKey(KeyTypes.sorted(Columns.unnamed(k))), k.name)(
        explicitMetadata = Some(Unmarked)
      )
    }
    columns += Alias(time.getOrElse(Literal(null, LongType)), "event_time")(explicitMetadata = Some(Marked))

    def share(e: NamedExpression): Int = {
      val value = Columns.unnamed(e)
      val at    = columns.indexWhere(c => c.child.deterministic && c.child.semanticEquals(value))
      if (at >= 0) at
      else {
        columns += Alias(value, e.name)(explicitMetadata = Some(Unmarked))
        columns.size - 1
      }
    }
    val argumentOrdinals = arguments.map(share).toArray
    val partOrdinals     = parts.map(share).toArray
    val rowOrdinals      = row.map(share).toArray
    val exactOrdinal     = exact.map(time => share(Alias(time, "exact_event_time")()))
    val plan             = Project(columns.toSeq, child)
    val fields           = StructType(plan.output.map(a => StructField(a.name, a.dataType)))
    val texts            = keys.map(k => FunctionText.plain(Columns.unnamed(k)))
    val layout           =
      new InputLayout(
        keys.size,
        keys.size,
        argumentOrdinals,
        partOrdinals,
        rowOrdinals,
        fields,
        texts,
        exactOrdinal = exactOrdinal
      )
    (layout, plan)
  }

  /** Metadata of the one column that carries the watermark. */
  private[spark] val Marked: Metadata = new MetadataBuilder().putLong(EventTimeWatermark.delayKey, 0L).build()

  // Not empty: some Spark versions read empty metadata as "the same as in the child".
  private[plan] val Unmarked: Metadata = new MetadataBuilder().putBoolean("spark_windowing.input", true).build()
}
