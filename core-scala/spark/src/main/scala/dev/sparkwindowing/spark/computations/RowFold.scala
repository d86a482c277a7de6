package dev.sparkwindowing.spark.computations

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}
import dev.sparkwindowing.contents.AccumulatorContents
import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.functions.{AggregateFunction, ReduceFunction}
import dev.sparkwindowing.spark.expressions.{ColumnBinder, PartFailure}
import dev.sparkwindowing.spark.rows.{RowCodec, RowView}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{Metadata, StructField, StructType}
import org.apache.spark.sql.{Row, SparkWindowingBridge}

/** User's function on `Row`, applied to the rows of a query. */
private[sparkwindowing] final class RowFold private (function: AggregateFunction, private val spec: Spec, view: RowView)
    extends PartialComputation {

  def schema: StructType           = SparkWindowingBridge.nullable(function.resultSchema)
  def specs: Seq[Spec]             = Seq(spec)
  def stateSchema: StructType      = SparkWindowingBridge.nullable(function.accumulatorSchema)
  def keptContents: ContentsFormat = ContentsFormat.LengthPrefixed(stateSchema)
  def needsOrder: Option[String]   =
    if (function.isMergeable) None else Some(s"$spec is not declared mergeable")

  def partialSchema: StructType = StructType(Seq(StructField("accumulator", stateSchema)))

  def inTask(ordinals: Array[Int], fields: Int): PartialContents[Row] = new RowFold.Task(function, view, this)

  def mergeInTask(first: Int): TaskComputation[Row] = {
    val accumulator = RowEncoding.reader(stateSchema)
    new MergedPartials[Row](
      new RowFold.Task(function, view, this),
      part => if (part.isNullAt(first)) null else accumulator(part.getStruct(first, stateSchema.length))
    )
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

  /** Reduce function as an aggregate. The accumulator is the reduced row, null before the first row. */
  private final class Reduced(function: ReduceFunction, input: StructType, shown: Seq[Int]) extends AggregateFunction {
    def accumulatorSchema: StructType      = input
    override def isMergeable: Boolean      = function.isMergeable
    def resultSchema: StructType           = StructType(shown.map(i => input(i).copy(metadata = Metadata.empty)))
    def createAccumulator(): Row           = null
    def add(kept: Row, row: Row): Row      = if (kept == null) row else merge(kept, row)
    def merge(kept: Row, merged: Row): Row =
      fitting(name, PartFailure.named(name)(function.reduce(kept, merged)), input)
    private[this] def name        = s"${function.getClass.getName}.reduce"
    def getResult(kept: Row): Row = if (kept == null) null else Row.fromSeq(shown.map(kept.get))
  }

  private final class Task(function: AggregateFunction, view: RowView, fold: RowFold)
      extends AccumulatorContents[InternalRow, Row](new SchemaCodec(fold.stateSchema, s"what ${fold.spec} keeps"))
      with PartialContents[Row] {
    private[this] lazy val toPart = RowEncoding.writer(fold.stateSchema, s"what ${fold.spec} keeps")
    private[this] val toResult    = RowEncoding.writer(fold.schema, s"a result of ${fold.spec}")

    protected val schema: StructType = fold.schema

    def createAccumulator(): Row              = function.createAccumulator()
    def add(kept: Row, row: InternalRow): Row = function.add(kept, view(row))
    def merge(kept: Row, merged: Row): Row    = function.merge(kept, merged)
    def copy(kept: Row): Row                  = kept

    def written(kept: Row): InternalRow = InternalRow(if (kept == null) null else toPart(kept))

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

    protected def resultOf(kept: Row): Option[InternalRow] = Option(function.getResult(kept)).map(toResult)
  }

  /** Codec for rows of a schema, in Spark's bytes of a row. */
  private final class SchemaCodec(schema: StructType, what: String) extends ValueCodec[Row] {
    private[this] val rows   = new RowCodec(schema.length)
    private[this] val toRow  = RowEncoding.writer(schema, what)
    private[this] val toUser = RowEncoding.reader(schema)

    def write(row: Row, out: BlockWriter): Unit = rows.write(toRow(row), out)
    def read(in: BlockReader): Row              = toUser(rows.read(in))
  }
}
