package dev.sparkwindowing.spark.computations

import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.expressions.StructFit
import dev.sparkwindowing.spark.relocated.Relocated
import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.expressions.RowOrdering
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types._

/** Flink's aggregates of one field of a record, as reductions over the structs `a` (the reduced row so far) and `b`
  * (the row).
  *
  * Null fields are ignored; the result is null if all are null. Order and equality are Spark's: NaN is greater than any
  * other number.
  */
private[sparkwindowing] object FieldReduction {

  /** The first record with the sum of the field, in the field's own type: whole numbers wrap around.
    *
    * A decimal sum that does not fit the type fails the query.
    *
    * @throws java.lang.IllegalArgumentException
    *   if there is no such column, or it is not numeric
    */
  def sum(schema: StructType, name: String): Column = {
    val field = find(schema, name, "sum")
    val total = field.dataType match {
      case ByteType               => wrapped(8, ByteType, field)
      case ShortType              => wrapped(16, ShortType, field)
      case IntegerType            => wrapped(32, IntegerType, field)
      case LongType               => wrappedLong(a(field), b(field))
      case FloatType | DoubleType => a(field) + b(field)
      case t: DecimalType         => fitting(field, t)
      case other                  =>
        throw new IllegalArgumentException(s"sum takes a column of numbers, got '${field.name}' of type ${other.sql}")
    }
    val value = when(a(field).isNull, b(field)).when(b(field).isNull, a(field)).otherwise(total)
    replaced(schema, field, value)
  }

  /** The first record with the minimum of the field. */
  def min(schema: StructType, name: String): Column = {
    val field = ordered(schema, name, "min")
    replaced(schema, field, least(a(field), b(field)))
  }

  /** The first record with the maximum of the field. */
  def max(schema: StructType, name: String): Column = {
    val field = ordered(schema, name, "max")
    replaced(schema, field, greatest(a(field), b(field)))
  }

  /** The record with the minimum of the field; the first or the last one of several. */
  def minBy(schema: StructType, name: String, first: Boolean): Column = {
    val field = ordered(schema, name, s"${Code.name("min_by")}")
    by(field, first, if (first) b(field) < a(field) else b(field) <= a(field))
  }

  /** The record with the maximum of the field; the first or the last one of several. */
  def maxBy(schema: StructType, name: String, first: Boolean): Column = {
    val field = ordered(schema, name, s"${Code.name("max_by")}")
    by(field, first, if (first) b(field) > a(field) else b(field) >= a(field))
  }

  private def by(field: StructField, first: Boolean, better: Column): Column = {
    val instead = if (first) a(field).isNull && b(field).isNotNull else a(field).isNull
    when(instead || better, col("b")).otherwise(col("a"))
  }

  private def a(field: StructField): Column = col("a").getField(field.name)
  private def b(field: StructField): Column = col("b").getField(field.name)

  private def replaced(schema: StructType, field: StructField, value: Column): Column =
    struct(schema.map(f => (if (f eq field) value else a(f)).as(f.name)): _*)

  // Avoids overflow, which is an error in ANSI mode.
  private def wrapped(bits: Int, as: DataType, field: StructField): Column = {
    val half = 1L << (bits - 1)
    val sum  = a(field).cast(LongType) + b(field).cast(LongType) + lit(half)
    (sum.bitwiseAND(lit((1L << bits) - 1)) - lit(half)).cast(as)
  }

  private def wrappedLong(x: Column, y: Column): Column = {
    val mask = lit(0xffffffffL)
    val low  = x.bitwiseAND(mask) + y.bitwiseAND(mask)
    val high = shiftright(x, 32) + shiftright(y, 32) + shiftright(low, 32)
    shiftleft(high, 32).bitwiseOR(low.bitwiseAND(mask))
  }

  // An error in every mode: a null sum would be read as a missing value.
  private def fitting(field: StructField, as: DecimalType): Column = {
    val error =
      s"the sum of '${field.name}' does not fit into ${as.sql}: cast the column to a wider type before key_by"
    coalesce(Relocated.tryCast(try_add(a(field), b(field)), as), raise_error(lit(error)))
  }

  private def ordered(schema: StructType, name: String, what: String): StructField = {
    val field = find(schema, name, what)
    if (!RowOrdering.isOrderable(field.dataType))
      throw new IllegalArgumentException(
        s"$what takes a column with an order, got '${field.name}' of type ${field.dataType.sql}"
      )
    field
  }

  private def find(schema: StructType, name: String, what: String): StructField = {
    val i = StructFit.indexOf(schema, name)
    if (i < 0)
      throw new IllegalArgumentException(
        s"$what: there is no column '$name' in the input (columns: ${schema.fieldNames.mkString(", ")})"
      )
    schema(i)
  }
}
