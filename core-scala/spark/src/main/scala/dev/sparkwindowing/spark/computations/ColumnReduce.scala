package dev.sparkwindowing.spark.computations

import dev.sparkwindowing.spark.expressions.{BoundColumnReference, ColumnBinder, Side, StructFit}
import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.functions.{col, lit}
import org.apache.spark.sql.types.{StructField, StructType}

/** `reduce` as a column over two structs, `a` (the reduced row so far) and `b` (the row). The accumulator is null
  * before the first row.
  */
private[sparkwindowing] object ColumnReduce {

  /** @param shown
    *   positions of the input columns in the result
    * @param what
    *   name of the column in errors
    * @param isMergeable
    *   whether it is declared commutative and associative
    */
  def bind(column: Column, isMergeable: Boolean, shown: Seq[Int], what: String, binder: ColumnBinder): Computation = {
    val schema = binder.schema
    StructFit.refuseTwice(schema, s"$what: the input")
    val a                          = StructField("a", schema)
    val b                          = StructField("b", schema)
    val Seq(kept, merged)          = Seq(0, 1).map(BoundColumnReference(Side.OtherValue, _, schema))
    val row                        = binder.overRow(col("b"), "b", Nil, what)
    def fit(e: Expression)         = StructFit(e, schema, what, "the input")
    def orRow(e: Expression)       = If(IsNull(kept), row.expression, e)
    def orOther(e: Expression)     = If(IsNull(kept), merged, If(IsNull(merged), kept, e))
    def withoutKeys(e: Expression) = If(
      IsNull(e),
      Literal(null, StructType(shown.map(schema(_)))),
      CreateNamedStruct(shown.flatMap(i => Seq(Literal(schema(i).name), GetStructField(e, i))))
    )
    new ColumnFold(
      what,
      schema,
      initial = binder.overValues(lit(null).cast(schema), Nil, what),
      add = binder.overRow(column, "b", Seq(a), what).map(fit).map(orRow),
      merge = Some(binder.overValues(column, Seq(a, b), what).map(fit).map(orOther)),
      getResult = binder.overValues(col("a"), Seq(a), what).map(withoutKeys),
      isMergeable
    )
  }
}
