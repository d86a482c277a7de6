package dev.sparkwindowing.spark.functions

import dev.sparkwindowing.assigners.WindowCollector
import dev.sparkwindowing.functions._
import dev.sparkwindowing.state.{FunctionState, ScopedStateStore}
import dev.sparkwindowing.windows.{GlobalWindow, TimeWindow, Window}
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.encoders.{ExpressionEncoder, RowEncoder}
import org.apache.spark.sql.types.{StructField, StructType}

import scala.util.control.NonFatal

/** Runs a user's process function in a task: rows in and out as `Row`, with time, state and side outputs around it.
  *
  * @param keys
  *   the columns of the key
  * @param schema
  *   the columns of a result
  * @param isMerging
  *   whether windows merge, so that they have no state of their own
  */
private[functions] final class ProcessCall(
    function: ProcessWindowFunction[Row, Row, Row],
    keys: Seq[StructField],
    schema: StructType,
    sides: Seq[SideOutput],
    isMerging: Boolean
) {
  private[this] val keyOf                     = fromInternal(StructType(keys))
  private[this] val results                   = toInternal(schema, "its result")
  private[this] val tagged                    = sides.map(s => toInternal(s.schema, s"what it puts into '${s.tag}'"))
  private[this] val context                   = new Context
  private[this] var firing: Firing            = _
  private[this] var emit: InternalRow => Unit = _
  private[this] val collector: Collector[Row] = record => emit(results(record))

  /** The window fired with these elements. */
  def fire(elements: Iterable[Row], firing: Firing, out: InternalRow => Unit): Unit = {
    this.firing = firing
    emit = out
    named("process")(function.process(keyOf(firing.key), context, elements, collector))
  }

  /** The window is cleaned up. */
  def cleared(window: Firing): Unit = {
    firing = window
    named("clear")(function.clear(context))
  }

  private[this] def named(method: String)(call: => Unit): Unit =
    try call
    catch {
      case NonFatal(e) =>
        throw new WindowFunctionException(
          s"${function.getClass.getName}.$method failed for the key ${keyOf(firing.key)} and the window ${firing.window}: $e",
          e
        )
    }

  private[this] def fromInternal(schema: StructType): InternalRow => Row = {
    val read = ExpressionEncoder(RowEncoder.encoderFor(schema)).resolveAndBind().createDeserializer()
    row => read(row)
  }

  private[this] def toInternal(schema: StructType, what: String): Row => InternalRow = {
    val write = ExpressionEncoder(RowEncoder.encoderFor(schema)).createSerializer()
    row => {
      if (row == null || row.length != schema.length)
        throw new IllegalArgumentException(
          s"$what must be a row of ${schema.length} columns, ${schema.simpleString}, got $row"
        )
      try write(row)
      catch {
        case e: RuntimeException =>
          throw new IllegalArgumentException(s"$what does not fit ${schema.simpleString}: $row", e)
      }
    }
  }

  private[this] final class Context extends ProcessWindowFunction.Context {
    def window: Window              = firing.window
    def currentWatermark: Long      = firing.watermark
    def currentProcessingTime: Long = firing.processingTime

    def windowState: KeyedStateStore = {
      if (isMerging)
        throw new UnsupportedOperationException(
          "windows that merge have no state of their own: use globalState, which is the key's"
        )
      val scope = firing.window match {
        case TimeWindow(start, end) => FunctionState.OfWindow(start, end)
        case GlobalWindow           => FunctionState.OfWindow(WindowCollector.Global, WindowCollector.Global)
      }
      new ScopedStateStore(firing.functionState, scope)
    }

    def globalState: KeyedStateStore = new ScopedStateStore(firing.functionState, FunctionState.OfKey)

    def output[X](tag: OutputTag[X], value: X): Unit = {
      if (tag == null) throw new IllegalArgumentException("the tag of a side output must not be null")
      val number = sides.indexWhere(_.tag == tag.id)
      if (number < 0)
        throw new IllegalArgumentException(
          s"there is no side output '${tag.id}': declare it, process(function, schema, SideOutput(\"${tag.id}\", schema))"
        )
      value match {
        case row: Row => firing.side(number, tagged(number)(row))
        case other    => throw new IllegalArgumentException(s"'${tag.id}' takes rows, got $other")
      }
    }
  }
}
