package dev.sparkwindowing.spark.aggregates

import dev.sparkwindowing.spark.expressions.JoinedReference
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types.DataType

/** Aggregate functions of a task, bound to positions in the buffer and in the rows of the operator.
  *
  * The buffer holds the slots of one function after the other. Declarative functions run together: one compiled
  * projection per step, over the buffer joined with the other row. Imperative functions run one by one.
  *
  * @param input
  *   whether the rows of the operator carry arguments or serialized buffers
  */
private[sparkwindowing] final class BoundFunctions(aggregates: SqlAggregates, input: BufferInput) {
  import BoundFunctions._

  private[this] val functions = aggregates.functions.toArray
  private[this] val slots     = functions.map(_.aggregateFunction.aggBufferAttributes.length)
  private[this] val starts    = slots.scanLeft(0)(_ + _)

  val bufferTypes: Seq[DataType] = aggregates.functions.flatMap(_.aggregateFunction.aggBufferAttributes.map(_.dataType))

  // Positions of attributes: arguments in a row of the operator, buffers of declarative functions, and those of the
  // other buffer.
  private[this] val inputs =
    aggregates.argumentAttributes.zip(input.arguments).map { case (a, i) => a.exprId -> bound(a, i) }.toMap
  private[this] val behind = inputs.map { case (id, b) =>
    id -> JoinedReference.right(b.ordinal, b.dataType, b.nullable)
  }
  private[this] val buffer =
    declarative.flatMap { case (f, start) => slotsOf(f.aggBufferAttributes, JoinedReference.Left, start) }.toMap

  private[this] def other(at: Int) = declarative.flatMap { case (f, start) =>
    slotsOf(f.inputAggBufferAttributes, JoinedReference.Right, at + start)
  }.toMap

  val imperative: Array[BoundImperative] =
    functions.zip(starts).collect { case (AggregateExpression(f: ImperativeAggregate, _, _, filter, _), start) =>
      // Serialized buffers are merged without their arguments.
      if (input.isWritten) BoundImperative(f, start, NoFilter, input.buffer + start)
      else {
        val at = filter.fold(NoFilter)(bind(_, inputs).asInstanceOf[BoundReference].ordinal)
        BoundImperative(bind(f, inputs).asInstanceOf[ImperativeAggregate], start, at, input.buffer + start)
      }
    }

  /** Functions with an object in their slot. */
  val typed: Array[BoundTyped] = imperative.collect { case f: BoundTyped => f }

  val initialize: Option[MutableProjection] = projection((f, _) => f.initialValues, Map.empty)

  /** Adds a row of the operator; null if no function is declarative. */
  val update: MutableProjection =
    (if (input.isWritten) mergeAt(input.buffer) else projection(filtered, buffer ++ behind)).orNull

  /** Merges another buffer; null if no function is declarative. */
  val merge: MutableProjection = mergeAt(0).orNull

  private[this] def mergeAt(position: Int) = projection((f, _) => f.mergeExpressions, buffer ++ other(position))

  private[this] val bufferFields = bufferTypes.zipWithIndex.map { case (t, i) => BoundReference(i, t, true) }

  val toBytes: UnsafeProjection = UnsafeProjection.create(bufferFields)

  /** Copies its input: strings and nested values do not point into the bytes. */
  val fromBytes: MutableProjection = MutableProjection.create(bufferFields)

  val imperativeResults: GenericInternalRow = new GenericInternalRow(imperative.length)

  /** Result columns of a buffer joined with `imperativeResults`. */
  val result: UnsafeProjection = {
    val values = functions
      .zip(starts)
      .map { case (f, start) =>
        val value = f.aggregateFunction match {
          case d: DeclarativeAggregate => bind(d.evaluateExpression, buffer)
          case _                       => JoinedReference.right(imperativeStarts.indexOf(start), f.dataType, f.nullable)
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

  private[this] def placed: Seq[(AggregateFunction, Int)] = functions.toSeq.map(_.aggregateFunction).zip(starts)

  private[this] def declarative: Seq[(DeclarativeAggregate, Int)] =
    placed.collect { case (f: DeclarativeAggregate, start) => f -> start }

  private[this] def imperativeStarts: Seq[Int] = placed.collect { case (_: ImperativeAggregate, start) => start }

  // One expression per slot; slots of imperative functions are not changed.
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

/** Form of the operator's rows: arguments, each at its position, or serialized buffers, one column per slot from the
  * position `buffer` on.
  */
private[sparkwindowing] final class BufferInput private (val arguments: Array[Int], val buffer: Int) {
  def isWritten: Boolean = buffer >= 0
}

private[sparkwindowing] object BufferInput {
  def arguments(ordinals: Array[Int]): BufferInput = new BufferInput(ordinals, -1)
  def written(from: Int): BufferInput              = new BufferInput(Array.emptyIntArray, from)
}

private[sparkwindowing] object BoundFunctions {

  private val NoFilter = -1

  private def bound(a: Attribute, ordinal: Int): BoundReference = BoundReference(ordinal, a.dataType, a.nullable)

  private def slotsOf(attributes: Seq[Attribute], side: JoinedReference.Side, start: Int) =
    attributes.zipWithIndex.map { case (a, i) =>
      a.exprId -> JoinedReference(Seq(side), start + i, a.dataType, a.nullable)
    }

  private def bind(e: Expression, at: Map[ExprId, Expression]): Expression = e.transformDown { case a: Attribute =>
    at.getOrElse(a.exprId, throw new IllegalStateException(s"${a.sql} is not among the attributes of the aggregates"))
  }
}
