package dev.sparkwindowing.spark.declared

import dev.sparkwindowing.columns.{ColumnAggregateFunction, ColumnProcess, ColumnReduceFunction, ColumnState}
import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.functions.{
  AggregateFunction,
  JoinKind,
  KeyedProcessFunction,
  ProcessWindowFunction,
  ReduceFunction,
  SideOutput
}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Column, Row}

/** Work on the rows of a key, as it is declared. */
private[sparkwindowing] sealed trait Computed extends Product with Serializable

private[sparkwindowing] object Computed {

  /** Work on the rows of a window. */
  sealed trait OfWindow extends Computed

  /** Work whose result for a window is one row, computed as the elements arrive. */
  sealed trait Folded extends OfWindow

  /** Aggregates of Spark SQL. */
  final case class Aggregates(columns: Seq[Column]) extends Folded

  /** A user-defined aggregate in columns. */
  final case class ColumnAggregate(function: ColumnAggregateFunction) extends Folded

  /** A user-defined aggregate on `Row`. */
  final case class RowAggregate(function: AggregateFunction, spec: Spec) extends Folded

  /** A reduce function in columns. */
  final case class ColumnReduced(function: ColumnReduceFunction) extends Folded

  /** A reduce function on `Row`. */
  final case class RowReduced(function: ReduceFunction, spec: Spec) extends Folded

  /** Flink's aggregate of one field of a record. */
  final case class OfField(aggregate: FieldAggregate, field: String) extends Folded

  /** The pairs of rows of two inputs. */
  final case class Joined(kind: JoinKind) extends OfWindow

  /** A function on `Row`, called at each firing.
    *
    * @param of
    *   what it gets; None for all elements
    */
  final case class Processed(
      of: Option[Folded],
      function: ProcessWindowFunction[Row, Row, Row],
      schema: StructType,
      sideOutputs: Seq[SideOutput]
  ) extends OfWindow

  /** A Python function that runs after the operator, in another process.
    *
    * @param of
    *   what it gets; None for all elements
    * @param id
    *   identifier of the function
    */
  final case class PythonProcessed(
      of: Option[Folded],
      id: String,
      schema: StructType,
      sideOutputs: Seq[SideOutput],
      windowState: Option[ColumnState],
      globalState: Option[ColumnState]
  ) extends OfWindow

  /** Work on elements and timers, without windows. */
  sealed trait OfKey extends Computed

  /** A function in columns. */
  final case class ColumnProcessed(function: ColumnProcess) extends OfKey

  /** A function on `Row`. */
  final case class RowProcessed(
      function: KeyedProcessFunction[Row, Row, Row],
      spec: Spec,
      schema: StructType,
      sideOutputs: Seq[SideOutput]
  ) extends OfKey
}
