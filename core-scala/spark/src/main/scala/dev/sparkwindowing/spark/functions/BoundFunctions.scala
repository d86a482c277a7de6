package dev.sparkwindowing.spark.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types.DataType

/** The functions of a task, bound to positions: of the buffer, and of the rows of the operator.
  *
  * The slots of the buffer lie function after function. Declarative functions run together, in one compiled projection
  * a step over the buffer joined with the other row; imperative ones run one by one.
  */
private[functions] final class BoundFunctions(aggregates: SqlAggregates, ordinals: Array[Int]) {
  import BoundFunctions._

  private[this] val functions = aggregates.functions.toArray
  private[this] val slots     = functions.map(_.aggregateFunction.aggBufferAttributes.length)
  private[this] val starts    = slots.scanLeft(0)(_ + _)
  private[this] val width     = starts.last

  val bufferTypes: Seq[DataType] = aggregates.functions.flatMap(_.aggregateFunction.aggBufferAttributes.map(_.dataType))

  // Where attributes lie: arguments in a row of the operator; buffers of declarative functions; those of the other one.
  private[this] val inputs =
    aggregates.argumentAttributes.zip(ordinals).map { case (a, i) => a.exprId -> bound(a, i) }.toMap
  private[this] val behind = inputs.map { case (id, b) => id -> b.copy(ordinal = b.ordinal + width) }
  private[this] val buffer = declarative.flatMap { case (f, start) => positions(f.aggBufferAttributes, start) }.toMap
  private[this] val other  = declarative.flatMap { case (f, start) =>
    positions(f.inputAggBufferAttributes, width + start)
  }.toMap

  val imperative: Array[BoundImperative] = functions.zip(starts).flatMap { case (f, start) =>
    f.aggregateFunction match {
      case i: ImperativeAggregate =>
        val moved  = bind(i, inputs).asInstanceOf[ImperativeAggregate].withNewMutableAggBufferOffset(start)
        val placed = moved.withNewInputAggBufferOffset(start)
        val filter = f.filter.map(bind(_, inputs).asInstanceOf[BoundReference].ordinal).getOrElse(NoFilter)
        Some(BoundImperative(placed, start, filter))
      case _ => None
    }
  }

  /** Those with an object in their slot. */
  val typed: Array[BoundTyped] = imperative.collect { case f: BoundTyped => f }

  val initialize: Option[MutableProjection] = projection((f, _) => f.initialValues, Map.empty)

  /** Null if no function is declarative. */
  val update: MutableProjection = projection(filtered, buffer ++ behind).orNull

  val merge: Option[MutableProjection] = projection((f, _) => f.mergeExpressions, buffer ++ other)

  private[this] val bufferFields = bufferTypes.zipWithIndex.map { case (t, i) => BoundReference(i, t, true) }

  val toBytes: UnsafeProjection = UnsafeProjection.create(bufferFields)

  /** Copies what it reads: strings and nested values do not point into the bytes. */
  val fromBytes: MutableProjection = MutableProjection.create(bufferFields)

  val imperativeResults: GenericInternalRow = new GenericInternalRow(imperative.length)

  /** The result columns of a buffer joined with `imperativeResults`. */
  val result: UnsafeProjection = {
    val values = functions
      .zip(starts)
      .map { case (f, start) =>
        val value = f.aggregateFunction match {
          case d: DeclarativeAggregate => bind(d.evaluateExpression, buffer)
          case _ => BoundReference(width + imperativeStarts.indexOf(start), f.dataType, f.nullable)
        }
        f.resultId -> value
      }
      .toMap
    UnsafeProjection.create(aggregates.resultExpressions.map(bind(_, values)))
  }

  def evaluateImperative(row: InternalRow): Unit = {
    var i = 0
    while (i < imperative.length) {
      imperativeResults.update(i, imperative(i).eval(row))
      i += 1
    }
  }

  private[this] def declarative: Seq[(DeclarativeAggregate, Int)] =
    functions.toSeq.zip(starts).flatMap { case (f, start) =>
      f.aggregateFunction match {
        case d: DeclarativeAggregate => Some(d -> start)
        case _                       => None
      }
    }

  private[this] def imperativeStarts: Array[Int] =
    functions.zip(starts).collect { case (f, start) if f.aggregateFunction.isInstanceOf[ImperativeAggregate] => start }

  // One expression a slot; those of imperative functions are left alone.
  private[this] def projection(
      of: (DeclarativeAggregate, AggregateExpression) => Seq[Expression],
      at: Map[ExprId, Expression]
  ): Option[MutableProjection] =
    if (declarative.isEmpty) None
    else
      Some(MutableProjection.create(functions.toSeq.zip(slots).flatMap { case (f, n) =>
        f.aggregateFunction match {
          case d: DeclarativeAggregate => of(d, f).map(bind(_, at))
          case _                       => Seq.fill(n)(NoOp)
        }
      }))

  private[this] def filtered(d: DeclarativeAggregate, f: AggregateExpression): Seq[Expression] = f.filter match {
    case Some(keep) => d.updateExpressions.zip(d.aggBufferAttributes).map { case (u, slot) => If(keep, u, slot) }
    case None       => d.updateExpressions
  }
}

private[functions] object BoundFunctions {

  private val NoFilter = -1

  private def bound(a: Attribute, ordinal: Int): BoundReference = BoundReference(ordinal, a.dataType, a.nullable)

  private def positions(attributes: Seq[Attribute], start: Int): Seq[(ExprId, BoundReference)] =
    attributes.zipWithIndex.map { case (a, i) => a.exprId -> bound(a, start + i) }

  private def bind(e: Expression, at: Map[ExprId, Expression]): Expression = e.transformDown { case a: Attribute =>
    at.getOrElse(a.exprId, throw new IllegalStateException(s"${a.sql} is not among the attributes of the aggregates"))
  }
}
