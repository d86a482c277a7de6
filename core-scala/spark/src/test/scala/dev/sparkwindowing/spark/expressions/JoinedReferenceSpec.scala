package dev.sparkwindowing.spark.expressions

import dev.sparkwindowing.spark.expressions.JoinedReference.{Left, Right}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, GenericInternalRow, JoinedRow, UnsafeProjection}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

/** Columns of joined rows, compiled and interpreted, against references to the same columns of the whole row. */
class JoinedReferenceSpec extends AnyFunSuite {
  private val types = Seq[DataType](
    LongType,
    StringType,
    DoubleType,
    new StructType().add("x", IntegerType).add("y", StringType),
    DecimalType(30, 2)
  )

  private def row(n: Long): InternalRow = InternalRow(
    n,
    UTF8String.fromString(s"text $n"),
    n / 3.0,
    InternalRow(n.toInt, UTF8String.fromString("inner")),
    Decimal(BigDecimal(n) / 4, 30, 2)
  )

  private val nulls = new GenericInternalRow(types.size)

  // Three rows, the way that a result is joined: key, facts, results.
  private val paths = Seq(Seq(Left), Seq(Right, Left), Seq(Right, Right))

  for (nullable <- Seq(true, false))
    test(s"columns of any type, ${if (nullable) "with" else "without"} nulls") {
      val columns   = for { (path, at) <- paths.zipWithIndex; (t, i) <- types.zipWithIndex } yield (path, at, t, i)
      val found     = columns.map { case (path, _, t, i) => JoinedReference(path, i, t, nullable) }
      val searched  = columns.map { case (_, at, t, i) => BoundReference(at * types.size + i, t, nullable) }
      val compiled  = UnsafeProjection.create(found)
      val reference = UnsafeProjection.create(searched)
      val inner     = new JoinedRow
      val outer     = new JoinedRow
      val rows      = (1L to 3L).map(row) ++ (if (nullable) Seq(nulls) else Nil)
      for { a <- rows; b <- rows; c <- rows } {
        val joined = outer(a, inner(b, c))
        assert(compiled(joined) == reference(joined))
        assert(found.map(_.eval(joined)) == searched.map(_.eval(joined)))
      }
    }
}
