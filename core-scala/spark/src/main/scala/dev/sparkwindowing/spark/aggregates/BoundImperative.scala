package dev.sparkwindowing.spark.aggregates

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate.{ImperativeAggregate, TypedImperativeAggregate}

import scala.util.control.NonFatal

/** An imperative function on its slots of a buffer.
  *
  * @param filter
  *   the position of its filter among the fields of a row, or -1
  */
private[sparkwindowing] sealed abstract class BoundImperative(filter: Int) {
  protected def function: ImperativeAggregate
  protected def add(buffer: InternalRow, element: InternalRow): Unit

  def merge(kept: InternalRow, merged: InternalRow): Unit

  /** Merges a serialized buffer, whose columns are in `row` at the position given to the function. */
  def mergeWritten(kept: InternalRow, row: InternalRow): Unit
  def eval(buffer: InternalRow): Any

  final def initialize(buffer: InternalRow): Unit = function.initialize(buffer)

  final def update(buffer: InternalRow, element: InternalRow): Unit =
    if (filter < 0 || (!element.isNullAt(filter) && element.getBoolean(filter))) add(buffer, element)
}

private[sparkwindowing] object BoundImperative {

  /** @param slot
    *   the first slot of the function
    * @param written
    *   its position in a row with a serialized buffer
    */
  def apply(function: ImperativeAggregate, slot: Int, filter: Int, written: Int): BoundImperative = {
    val own = function.withNewMutableAggBufferOffset(slot)
    (own.withNewInputAggBufferOffset(slot), own.withNewInputAggBufferOffset(written)) match {
      case (f: TypedImperativeAggregate[_], w: TypedImperativeAggregate[_]) =>
        val typed = f.asInstanceOf[TypedImperativeAggregate[Any]]
        if (goesOnAfterReading(typed)) new BoundWhole(typed, w, slot, filter)
        else new BoundToFresh(typed, slot, filter, written)
      case (f, w) => new BoundPlain(f, w, filter)
    }
  }

  /** True if a deserialized object can replace the one that was serialized: Spark itself only merges it. */
  private def goesOnAfterReading(f: TypedImperativeAggregate[Any]): Boolean =
    try {
      val fresh = f.createAggregationBuffer()
      val read  = f.deserialize(f.serialize(fresh))
      (fresh == null && read == null) || (fresh != null && read != null && fresh.getClass == read.getClass)
    } catch { case NonFatal(_) => false }
}

/** A function whose slots hold plain values. */
private[sparkwindowing] final class BoundPlain(
    val function: ImperativeAggregate,
    written: ImperativeAggregate,
    filter: Int
) extends BoundImperative(filter) {
  protected def add(buffer: InternalRow, element: InternalRow): Unit = function.update(buffer, element)
  def merge(kept: InternalRow, merged: InternalRow): Unit            = function.merge(kept, merged)
  def mergeWritten(kept: InternalRow, row: InternalRow): Unit        = written.merge(kept, row)
  def eval(buffer: InternalRow): Any                                 = function.eval(buffer)
}

/** A function with an object in its one slot. */
private[sparkwindowing] sealed abstract class BoundTyped(
    protected val function: TypedImperativeAggregate[Any],
    val slot: Int,
    filter: Int
) extends BoundImperative(filter) {
  def serialize(live: Any): Array[Byte]
  def deserialize(bytes: Array[Byte]): Any
}

/** A function whose deserialized object can be updated like the original. */
private[sparkwindowing] final class BoundWhole(
    f: TypedImperativeAggregate[Any],
    written: ImperativeAggregate,
    slot: Int,
    filter: Int
) extends BoundTyped(f, slot, filter) {
  protected def add(buffer: InternalRow, element: InternalRow): Unit = f.update(buffer, element)
  def merge(kept: InternalRow, merged: InternalRow): Unit            = f.mergeBuffersObjects(kept, merged)
  def mergeWritten(kept: InternalRow, row: InternalRow): Unit        = written.merge(kept, row)
  def eval(buffer: InternalRow): Any                                 = f.eval(buffer)
  def serialize(live: Any): Array[Byte]                              = f.serialize(live)
  def deserialize(bytes: Array[Byte]): Any                           = f.deserialize(bytes)
}

/** A function that adds rows to fresh objects only, such as a Theta sketch: a deserialized or merged object stays
  * bytes, which are merged with a fresh object.
  */
private[sparkwindowing] final class BoundToFresh(f: TypedImperativeAggregate[Any], slot: Int, filter: Int, written: Int)
    extends BoundTyped(f, slot, filter) {
  import BoundToFresh._

  protected def add(buffer: InternalRow, element: InternalRow): Unit = live(buffer) match {
    case parts: Parts =>
      val fresh = parts.fresh.getOrElse(f.createAggregationBuffer())
      parts.fresh = Some(f.update(fresh, element))
    case _ => f.update(buffer, element)
  }

  def merge(kept: InternalRow, merged: InternalRow): Unit = mergeBytes(kept, serialize(live(merged)))

  def mergeWritten(kept: InternalRow, row: InternalRow): Unit = mergeBytes(kept, row.getBinary(written))

  private[this] def mergeBytes(kept: InternalRow, bytes: Array[Byte]): Unit =
    kept.update(slot, new Parts(f.serialize(mergeOf(serialize(live(kept)), bytes)), None))

  def eval(buffer: InternalRow): Any = f.eval(whole(live(buffer)))

  def serialize(live: Any): Array[Byte] = live match {
    case parts: Parts if parts.fresh.isEmpty => parts.kept
    case _                                   => f.serialize(whole(live))
  }

  def deserialize(bytes: Array[Byte]): Any = new Parts(bytes, None)

  private[this] def live(buffer: InternalRow): Any = buffer.get(slot, f.aggBufferAttributes.head.dataType)

  private[this] def whole(live: Any): Any = live match {
    case parts: Parts => mergeOf((parts.kept +: parts.fresh.map(f.serialize).toSeq): _*)
    case fresh        => fresh
  }

  // Merges deserialized bytes into a fresh object, as Spark does after its exchange.
  private[this] def mergeOf(parts: Array[Byte]*): Any =
    parts.foldLeft(f.createAggregationBuffer())((all, bytes) => f.merge(all, f.deserialize(bytes)))
}

private[sparkwindowing] object BoundToFresh {

  /** The stored bytes, and the object for rows added since. */
  private final class Parts(val kept: Array[Byte], var fresh: Option[Any])
}
