package dev.sparkwindowing.spark.computations

import dev.sparkwindowing.contents.{ElementBlocks, ElementList}
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
      firing.pull(new ElementRows(elements.blocks, read, first(firing)))
      if (hasState)
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

    private[this] def hasState: Boolean = windowState.nonEmpty || globalState.nonEmpty

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

    private[this] def advance(firing: FiringContext, result: Any): Unit = {
      lazy val struct = new GenericInternalRow(Array[Any](result))
      windowState.foreach(_.advance(firing, FunctionState.of(firing.window), struct))
      globalState.foreach(_.advance(firing, FunctionState.OfKey, struct))
    }

    def cleared(window: FiringContext): Unit =
      windowState.foreach(_.drop(window.functionState, FunctionState.of(window.window)))

    private[this] def known(time: Long): Any = if (time == Long.MinValue) null else time
  }

  // The rows of a firing, made when they are taken. One block of elements is in memory.
  private final class ElementRows(
      blocks: ElementBlocks[InternalRow],
      read: InternalRow => InternalRow,
      first: InternalRow
  ) extends Iterator[InternalRow] {
    private[this] val others = new GenericInternalRow(schema.length)
    private[this] val found  = new mutable.ArrayBuffer[InternalRow]
    private[this] var block  = 0
    private[this] var at     = 0
    private[this] var taken  = 0L
    find()

    def hasNext: Boolean = at < found.size || taken == 0

    def next(): InternalRow = {
      val row  = if (taken == 0) first else others
      var part = if (taken == 0) First else 0
      if (at < found.size) {
        row.update(0, read(found(at)))
        at += 1
        find()
      }
      if (at == found.size) part |= Last
      row.update(1, part)
      taken += 1
      row
    }

    private[this] def find(): Unit = while (at == found.size && block < blocks.size) {
      found.clear()
      at = 0
      blocks.foreach(block)(found += _)
      block += 1
    }
  }
}

private object PythonFunctionInput {

  // Bits of `#part`.
  private val First = 1
  private val Last  = 2
}
