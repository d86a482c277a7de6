package dev.sparkwindowing.spark.computations

import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.spark.rows.RowView
import dev.sparkwindowing.state.FunctionState
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, GenericInternalRow, UnsafeProjection}
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._

import scala.collection.mutable

/** Rows for a function after the operator: for each firing one for each element (or for the one result of another
  * computation), in order, and one without an element if there is none. `#part` is 1 for the first row of a firing plus
  * 2 for its last. The first has watermark and processing time in milliseconds, and the states before the firing.
  */
private[sparkwindowing] final class PythonFunctionInput(
    of: Either[RowView, Computation],
    windowState: Option[BoundColumnState],
    globalState: Option[BoundColumnState]
) extends FunctionOfFiring(of) {
  import PythonFunctionInput._

  private val columns = handedOn.fold(_.schema, _.schema)

  val schema: StructType = {
    val states = Seq(windowState, globalState).flatten.map(s => StructField(s"#${s.name}", s.schema))
    StructType(
      Seq(
        StructField("#element", columns),
        StructField("#part", IntegerType),
        StructField("#watermark", LongType),
        StructField("#processing_time", LongType)
      ) ++ states
    )
  }

  def specs: Seq[Spec] =
    handedOn.fold(_ => Seq(Spec.Text("all elements")), _.specs) ++ (windowState ++ globalState).map(_.spec)

  override def keptStates: StructType =
    StructType((windowState ++ globalState).map(s => StructField(s.name, s.schema)).toSeq)

  override def setsTimers(clock: TimeDomain): Boolean = (windowState ++ globalState).exists(_.expiresBy(clock))

  override def isOrderInsensitive: Boolean =
    handedOn.exists(_.isOrderInsensitive) && windowState.isEmpty && globalState.isEmpty

  protected def callInTask(): FiringCall = new Rows

  private final class Rows extends FiringCall {
    private[this] val element = handedOn.left.toOption.map { view =>
      UnsafeProjection.create(view.ordinals.zip(columns).map { case (at, f) =>
        BoundReference(at, f.dataType, nullable = true)
      })
    }

    def ofElements(elements: ElementList[InternalRow], firing: FiringContext, out: InternalRow => Unit): Unit = {
      val read = element.get
      val rows = new ElementRows(elements, read, first(firing))
      if (elements.isInPieces) firing.pull(rows) else rows.foreach(out)
      advance(firing, new GenericArrayData(Array.tabulate[Any](elements.size)(i => read(elements(i)).copy())))
    }

    // State expressions read the result as a struct.
    def ofResult(result: InternalRow, firing: FiringContext, out: InternalRow => Unit): Unit = {
      val row = first(firing)
      row.update(0, result)
      row.update(1, First | Last)
      out(row)
      advance(firing, result)
    }

    // The first row of a firing, without its element. What states hold is changed after it.
    private[this] def first(firing: FiringContext): InternalRow = {
      val row = new GenericInternalRow(schema.length)
      row.update(2, known(firing.watermark))
      row.update(3, known(firing.processingTime))
      var at                                                             = 4
      def put(state: BoundColumnState, scope: FunctionState.Scope): Unit = {
        val held = state.read(firing, scope).getStruct(0, state.schema.length)
        row.update(at, if (held == null) null else held.copy())
        at += 1
      }
      windowState.foreach(put(_, FunctionState.of(firing.window)))
      globalState.foreach(put(_, FunctionState.OfKey))
      row
    }

    private[this] def advance(firing: FiringContext, result: => Any): Unit = {
      val struct = new ResultRow(() => result)
      windowState.foreach(_.advance(firing, FunctionState.of(firing.window), struct))
      globalState.foreach(_.advance(firing, FunctionState.OfKey, struct))
    }

    def cleared(window: FiringContext): Unit =
      windowState.foreach(_.drop(window.functionState, FunctionState.of(window.window)))

    private[this] def known(time: Long): Any = if (time == Long.MinValue) null else time
  }

  // The rows of a firing, made when they are taken. One block of elements is in memory then, and none before.
  private final class ElementRows(
      elements: ElementList[InternalRow],
      read: InternalRow => InternalRow,
      first: InternalRow
  ) extends Iterator[InternalRow] {
    private[this] val count  = elements.size
    private[this] val blocks = elements.blocks
    private[this] val others = new GenericInternalRow(schema.length)
    private[this] val found  = new mutable.ArrayBuffer[InternalRow]
    private[this] var block  = 0
    private[this] var at     = 0
    private[this] var taken  = 0

    def hasNext: Boolean = taken < math.max(count, 1)

    def next(): InternalRow = {
      val row = if (taken == 0) first else others
      if (count > 0) row.update(0, read(element()))
      taken += 1
      row.update(1, (if (taken == 1) First else 0) | (if (hasNext) 0 else Last))
      row
    }

    private[this] def element(): InternalRow = {
      while (at == found.size) {
        found.clear()
        at = 0
        blocks.foreach(block)(found += _)
        block += 1
      }
      at += 1
      found(at - 1)
    }
  }
}

private object PythonFunctionInput {

  // Bits of `#part`.
  private val First = 1
  private val Last  = 2

  /** A row with only the result, which is made if an expression reads it. Of the trait that Spark's rows extend it
    * would name all methods, and Spark 4.2 has one more than 4.1.
    */
  private final class ResultRow(make: () => Any) extends GenericInternalRow(1) {
    private[this] lazy val result = make()

    override protected def genericGet(ordinal: Int): Any = result
  }
}
