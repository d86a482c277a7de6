package dev.sparkwindowing.columns

import dev.sparkwindowing.spark.advice.{Code, Face}
import dev.sparkwindowing.spark.computations.{ColumnFold, Computation}
import dev.sparkwindowing.spark.expressions.{ColumnBinder, StructFit}
import org.apache.spark.sql.Column
import org.apache.spark.sql.types.StructField

/** Custom aggregate written as columns, which run in the JVM. A window keeps one accumulator, a struct.
  *
  * Build it with [[ColumnAggregateFunction.of]]. It is checked when the query is declared.
  */
final class ColumnAggregateFunction private (
    createAccumulator: Column,
    add: Column,
    merge: Option[Column],
    getResult: Column,
    isMergeable: Boolean
) {
  import ColumnAggregateFunction._

  /** The computation over the rows of a query. */
  private[sparkwindowing] def bind(binder: ColumnBinder, merging: Option[String]): Computation = {
    merging.filter(_ => merge.isEmpty).foreach { assigner =>
      throw new IllegalArgumentException(
        s"AggregateFunction: merge is missing, and the windows of $assigner merge: add $Merge"
      )
    }
    if (isMergeable && merge.isEmpty)
      throw new IllegalArgumentException(
        s"AggregateFunction: $Mergeable needs merge, which is missing: add $Merge"
      )
    val create  = s"$Name: ${Code.name("create_accumulator")}"
    val created = binder.overValues(createAccumulator, Nil, create)
    val start   = StructFit.structOf(created.dataType, create)
    val first   = binder.overRow(add, "row", Seq(StructField("acc", start)), s"$Name: add")
    val kept    = StructFit.widest(start, Seq(StructFit.structOf(first.dataType, s"$Name: add")))
    val acc     = Seq(StructField("acc", kept))
    val added   = if (first.dataType == kept && start == kept) first else binder.overRow(add, "row", acc, s"$Name: add")
    val merged  = merge.map { m =>
      binder.overValues(m, Seq(StructField("a", kept), StructField("b", kept)), s"$Name: merge")
    }
    new ColumnFold(
      Name,
      kept,
      created.map(StructFit(_, kept, create, "what add gives")),
      added.map(StructFit(_, kept, s"$Name: add", "its accumulator")),
      merged.map(_.map(StructFit(_, kept, s"$Name: merge", "the accumulator"))),
      binder.overValues(getResult, acc, s"$Name: ${Code.name("get_result")}"),
      isMergeable
    )
  }

  override def toString: String =
    s"$Name($createAccumulator, $add, ${merge.fold("no merge")(_.toString)}, $getResult)"
}

object ColumnAggregateFunction {
  private val Name  = "AggregateFunction"
  private val Merge = {
    val struct = Code.function("struct", Code.dots)
    Code {
      case Face.Scala => s"${Code.named("merge", struct)} over the structs a and b"
      case _          => s"${Code.named("merge", Code.lambda("a", "b")(struct))}"
    }
  }
  private val Mergeable = Code {
    case Face.Python => "mergeable=True"
    case _           => "mergeable = true"
  }

  /** @param createAccumulator
    *   a struct of constants: the accumulator of a window without rows
    * @param add
    *   the accumulator after adding a row, over the structs `acc` and `row` (a row of the input)
    * @param merge
    *   the accumulator of two merged windows, over the structs `a` and `b`; null if the windows do not merge
    * @param getResult
    *   over the struct `acc`: a struct, whose fields are the columns of the result, or one column, named `result`. A
    *   null result emits no row
    */
  def of(createAccumulator: Column, add: Column, merge: Column, getResult: Column): ColumnAggregateFunction =
    of(createAccumulator, add, merge, getResult, mergeable = false)

  /** @param mergeable
    *   whether rows may be added in any order to several accumulators, which `merge` then combines, with the same
    *   result. Rows are then aggregated before the exchange
    */
  def of(
      createAccumulator: Column,
      add: Column,
      merge: Column,
      getResult: Column,
      mergeable: Boolean
  ): ColumnAggregateFunction =
    new ColumnAggregateFunction(createAccumulator, add, Option(merge), getResult, mergeable)
}
