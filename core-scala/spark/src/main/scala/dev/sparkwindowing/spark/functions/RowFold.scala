package dev.sparkwindowing.spark.functions

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}
import dev.sparkwindowing.contents.{AccumulatorContents, ElementList, WindowContents}
import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.functions.{AggregateFunction, ReduceFunction}
import dev.sparkwindowing.spark.expressions.{ColumnBinder, PartFailure}
import dev.sparkwindowing.spark.rows.RowView
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, NamedExpression, UnsafeRow}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Row, SparkWindowingBridge}

/** User's function on `Row`, applied to the rows of a query. */
private[sparkwindowing] final class RowFold private (function: AggregateFunction, private val spec: Spec, view: RowView)
    extends Computation {

  def arguments: Seq[NamedExpression] = Nil
  def schema: StructType              = SparkWindowingBridge.nullable(function.resultSchema)
  def specs: Seq[Spec]                = Seq(spec)
  def stateSchema: StructType         = SparkWindowingBridge.nullable(function.accumulatorSchema)
  def keptContents: ContentsFormat    = ContentsFormat.LengthPrefixed(stateSchema)
  def isOrderInsensitive: Boolean     = false

  def inTask(ordinals: Array[Int], fields: Int): TaskComputation[Row] = new RowFold.Task(function, view, this)
}

private[sparkwindowing] object RowFold {

  /** @param spec
    *   the function as data
    */
  def aggregate(function: AggregateFunction, spec: Spec, binder: ColumnBinder): Computation =
    new RowFold(new Checked(function), spec, binder.rowView)

  /** @param shown positions of the input columns in the result */
  def reduce(function: ReduceFunction, spec: Spec, shown: Seq[Int], binder: ColumnBinder): Computation =
    new RowFold(new Reduced(function, binder.schema, shown), spec, binder.rowView)

  /** Checks that the rows of a user's function have the columns of its schemas. */
  private final class Checked(function: AggregateFunction) extends AggregateFunction {
    private[this] val name                = function.getClass.getName
    val accumulatorSchema: StructType     = function.accumulatorSchema
    val resultSchema: StructType          = function.resultSchema
    def createAccumulator(): Row          = kept("createAccumulator", function.createAccumulator())
    def add(acc: Row, row: Row): Row      = kept("add", function.add(acc, row))
    def merge(acc: Row, merged: Row): Row = kept("merge", function.merge(acc, merged))
    def getResult(acc: Row): Row          = {
      val row = PartFailure.named(s"$name.getResult")(function.getResult(acc))
      if (row == null) null else fitting(s"$name.getResult", row, resultSchema)
    }
    private[this] def kept(method: String, row: => Row) =
      fitting(s"$name.$method", PartFailure.named(s"$name.$method")(row), accumulatorSchema)
  }

  private def fitting(what: String, row: Row, schema: StructType): Row =
    if (row != null && row.length == schema.length) row
    else {
      val got = if (row == null) "null" else s"one of ${row.length}: $row"
      throw new IllegalArgumentException(
        s"$what must give a row of ${schema.length} columns, ${schema.simpleString}, got $got"
      )
    }

  private def encoded(what: String, row: Row, schema: StructType)(encode: => InternalRow): InternalRow =
    try encode
    catch {
      case e: RuntimeException =>
        throw new IllegalArgumentException(s"$what does not fit ${schema.simpleString}: $row", e)
    }

  /** Reduce function as an aggregate. The accumulator is the reduced row, null before the first row. */
  private final class Reduced(function: ReduceFunction, input: StructType, shown: Seq[Int]) extends AggregateFunction {
    def accumulatorSchema: StructType      = input
    def resultSchema: StructType           = StructType(shown.map(i => input(i).copy(metadata = NoMetadata)))
    def createAccumulator(): Row           = null
    def add(kept: Row, row: Row): Row      = if (kept == null) row else merge(kept, row)
    def merge(kept: Row, merged: Row): Row =
      fitting(name, PartFailure.named(name)(function.reduce(kept, merged)), input)
    private[this] def name        = s"${function.getClass.getName}.reduce"
    def getResult(kept: Row): Row = if (kept == null) null else Row.fromSeq(shown.map(kept.get))
  }

  private val NoMetadata = org.apache.spark.sql.types.Metadata.empty

  private final class Task(function: AggregateFunction, view: RowView, fold: RowFold) extends TaskComputation[Row] {
    private[this] val toResult = ExpressionEncoder(fold.schema).createSerializer()
    private[this] val nulls    = new GenericInternalRow(fold.schema.length)

    val contents: WindowContents[InternalRow, Row] =
      new AccumulatorContents[InternalRow, Row](
        new SchemaCodec(fold.stateSchema, s"what ${fold.spec} keeps")
      ) {
        def createAccumulator(): Row              = function.createAccumulator()
        def add(kept: Row, row: InternalRow): Row = function.add(kept, view(row))
        def merge(kept: Row, merged: Row): Row    = function.merge(kept, merged)
      }

    def fire(kept: Row, firing: FiringContext, out: InternalRow => Unit): Unit = resultOf(kept).foreach(out)

    // Emits the result of the elements that an evictor left even if it is null, as ColumnFold does.
    def fireElements(elements: ElementList[InternalRow], firing: FiringContext, out: InternalRow => Unit): Unit = {
      var kept = function.createAccumulator()
      elements.foreach(row => kept = function.add(kept, view(row)))
      out(resultOf(kept).getOrElse(nulls))
    }

    private[this] def resultOf(kept: Row): Option[InternalRow] = Option(function.getResult(kept)).map { row =>
      encoded(s"a result of ${fold.spec}", row, fold.schema)(toResult(row))
    }
  }

  /** Codec for rows of a schema, in Spark's bytes of a row. */
  private final class SchemaCodec(schema: StructType, what: String) extends ValueCodec[Row] {
    private[this] val encoder = ExpressionEncoder(schema).resolveAndBind()
    private[this] val toRow   = encoder.createSerializer()
    private[this] val toUser  = encoder.createDeserializer()

    def write(row: Row, out: BlockWriter): Unit =
      out.block(encoded(what, row, schema)(toRow(row)).asInstanceOf[UnsafeRow].getBytes)

    def read(in: BlockReader): Row = {
      val row   = new UnsafeRow(schema.length)
      val bytes = in.block()
      row.pointTo(bytes, bytes.length)
      toUser(row)
    }
  }
}
