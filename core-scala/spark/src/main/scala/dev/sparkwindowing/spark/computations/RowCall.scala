package dev.sparkwindowing.spark.computations

import dev.sparkwindowing.codec.CorruptBlockException
import dev.sparkwindowing.functions.{Collector, OutputTag, SideOutput}
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{StructField, StructType}

import scala.util.control.NonFatal

/** Runs a user's function in a task: converts rows to and from `Row`, and adds the function's name to errors.
  *
  * @param function
  *   the function, for its name
  * @param keys
  *   the columns of the key
  * @param schema
  *   the columns of a result
  */
private[computations] abstract class RowCall(
    function: AnyRef,
    keys: Seq[StructField],
    schema: StructType,
    sides: Seq[SideOutput]
) {
  private[this] val toRow                     = RowEncoding.reader(StructType(keys))
  private[this] val results                   = toInternal(schema, "its result")
  private[this] val tagged                    = sides.map(s => toInternal(s.schema, s"what it puts into '${s.tag}'"))
  private[this] var emit: InternalRow => Unit = _

  /** Collector of the function's results. */
  protected val collector: Collector[Row] = record => emit(results(record))

  /** Context of the current key. */
  protected def here: KeyContext

  protected def keyOf(at: KeyContext): Row = toRow(at.key)

  /** Calls the function, which may collect results.
    *
    * @param place
    *   the place of the call, for errors; it follows the key
    */
  protected def call(method: String, place: => String, out: InternalRow => Unit)(call: => Unit): Unit = {
    emit = out
    try call
    catch {
      case e: CorruptBlockException => throw e // of rows that are read while the function runs
      case NonFatal(e)              =>
        throw new WindowFunctionException(
          s"${function.getClass.getName}.$method failed for the key ${keyOf(here)}$place: $e",
          e
        )
    }
  }

  /** Emits a record to a side output. */
  protected def putOut(tag: OutputTag[_], value: Any): Unit = {
    if (tag == null) throw new IllegalArgumentException("the tag of a side output must not be null")
    val number = sides.indexWhere(_.tag == tag.id)
    if (number < 0)
      throw new IllegalArgumentException(
        s"""there is no side output '${tag.id}': declare it, process(function, schema, SideOutput("${tag.id}", schema))"""
      )
    value match {
      case row: Row => here.side(number, tagged(number)(row))
      case other    => throw new IllegalArgumentException(s"'${tag.id}' takes rows, got $other")
    }
  }

  private[this] def toInternal(schema: StructType, what: String): Row => InternalRow = {
    val write = RowEncoding.writer(schema, what)
    row => {
      if (row == null || row.length != schema.length)
        throw new IllegalArgumentException(
          s"$what must be a row of ${schema.length} columns, ${schema.simpleString}, got $row"
        )
      write(row)
    }
  }
}
