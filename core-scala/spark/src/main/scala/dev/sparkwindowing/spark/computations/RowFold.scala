package dev.sparkwindowing.spark.computations

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}
import dev.sparkwindowing.contents.{AccumulatorContents, CopyableContents, ElementList, WindowContents}
import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.functions.{AggregateFunction, ReduceFunction}
import dev.sparkwindowing.spark.expressions.{ColumnBinder, PartFailure}
import dev.sparkwindowing.spark.rows.RowView
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  GenericInternalRow,
  NamedExpression,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.{Row, SparkWindowingBridge}

/** User's function on `Row`, applied to the rows of a query. */
private[sparkwindowing] final class RowFold private (function: AggregateFunction, private val spec: Spec, view: RowView)
    extends PartialComputation {

  def arguments: Seq[NamedExpression] = Nil
  def schema: StructType              = SparkWindowingBridge.nullable(function.resultSchema)
  def specs: Seq[Spec]                = Seq(spec)
  def stateSchema: StructType         = SparkWindowingBridge.nullable(function.accumulatorSchema)
  def keptContents: ContentsFormat    = ContentsFormat.LengthPrefixed(stateSchema)
  def needsOrder: Option[String]      =
    if (function.isMergeable) None else Some(s"$spec is not declared mergeable")

  def partialSchema: StructType = StructType(Seq(StructField("accumulator", stateSchema)))

  def inTask(ordinals: Array[Int], fields: Int): TaskComputation[Row] = new RowFold.Task(function, view, this)

  def partialsInTask(ordinals: Array[Int], fields: Int): PartialContents[Row] = new RowFold.Parts(function, view, this)

  def mergeInTask(first: Int): TaskComputation[Row] = {
    val reader = new RowFold.Parts(function, view, this).reader(first)
    new MergedParts[Row](new RowFold.Task(function, view, this), reader)
  }
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
    override def isMergeable: Boolean     = function.isMergeable
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
    override def isMergeable: Boolean      = function.isMergeable
    def resultSchema: StructType           = StructType(shown.map(i => input(i).copy(metadata = NoMetadata)))
    def createAccumulator(): Row           = null
    def add(kept: Row, row: Row): Row      = if (kept == null) row else merge(kept, row)
    def merge(kept: Row, merged: Row): Row =
      fitting(name, PartFailure.named(name)(function.reduce(kept, merged)), input)
    private[this] def name        = s"${function.getClass.getName}.reduce"
    def getResult(kept: Row): Row = if (kept == null) null else Row.fromSeq(shown.map(kept.get))
  }

  private val NoMetadata = org.apache.spark.sql.types.Metadata.empty

  private class Contents(function: AggregateFunction, view: RowView, fold: RowFold)
      extends AccumulatorContents[InternalRow, Row](new SchemaCodec(fold.stateSchema, s"what ${fold.spec} keeps"))
      with CopyableContents[InternalRow, Row] {
    def copy(kept: Row): Row                  = kept
    def createAccumulator(): Row              = function.createAccumulator()
    def add(kept: Row, row: InternalRow): Row = function.add(kept, view(row))
    def merge(kept: Row, merged: Row): Row    = function.merge(kept, merged)
  }

  /** Accumulators as the column of a row that is an aggregated part. */
  private final class Parts(function: AggregateFunction, view: RowView, fold: RowFold)
      extends Contents(function, view, fold)
      with PartialContents[Row] {
    private[this] val encoder  = ExpressionEncoder(fold.partialSchema).resolveAndBind()
    private[this] val toPart   = encoder.createSerializer()
    private[this] val fromPart = encoder.createDeserializer()

    def written(kept: Row): InternalRow = encoded(s"what ${fold.spec} keeps", kept, fold.stateSchema)(toPart(Row(kept)))

    // Called for each element.
    def sizeOf(kept: Row): Long = {
      var bytes = 50L
      if (kept != null) {
        var i = 0
        while (i < kept.length) {
          bytes += sizeOfValue(kept.get(i))
          i += 1
        }
      }
      bytes
    }

    private[this] def sizeOfValue(value: Any): Long = value match {
      case text: String                 => 56L + text.length
      case bytes: Array[Byte]           => 16L + bytes.length
      case many: collection.Iterable[_] => 50L + 50L * many.size
      case _                            => 50L
    }

    /** Reads what `written` wrote to a column. */
    def reader(column: Int): InternalRow => Row = {
      val part = UnsafeProjection.create(Seq(BoundReference(column, fold.stateSchema, nullable = true)))
      row => fromPart(part(row)).getAs[Row](0)
    }
  }

  private final class Task(function: AggregateFunction, view: RowView, fold: RowFold) extends TaskComputation[Row] {
    private[this] val toResult = ExpressionEncoder(fold.schema).createSerializer()
    private[this] val nulls    = new GenericInternalRow(fold.schema.length)

    val contents: WindowContents[InternalRow, Row] = new Contents(function, view, fold)

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
