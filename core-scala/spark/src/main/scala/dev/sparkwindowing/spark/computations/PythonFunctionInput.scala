package dev.sparkwindowing.spark.computations

import dev.sparkwindowing.contents.{ElementList, WindowContents}
import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.spark.rows.{RowElements, RowView}
import dev.sparkwindowing.state.FunctionState
import dev.sparkwindowing.windows.{TimeWindow, Window, WindowCollector}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, GenericInternalRow, NamedExpression, UnsafeProjection}
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._

/** Rows for a function after the operator, one per firing: the elements (or the one result of another computation) as
  * an array of structs, watermark and processing time in milliseconds, and the states before the firing.
  *
  * @param handedOn
  *   the elements, or the computation whose result is passed on
  */
private[sparkwindowing] final class PythonFunctionInput(
    handedOn: Either[RowView, Computation],
    windowState: Option[BoundColumnState],
    globalState: Option[BoundColumnState]
) extends Computation {
  private val columns = handedOn.fold(_.schema, _.schema)

  def arguments: Seq[NamedExpression] = handedOn.fold(_ => Nil, _.arguments)

  val schema: StructType = {
    val states = Seq(windowState, globalState).flatten.map(s => StructField(s"#${s.name}", s.schema))
    StructType(
      Seq(
        StructField("#elements", ArrayType(columns)),
        StructField("#watermark", LongType),
        StructField("#processing_time", LongType)
      ) ++ states
    )
  }

  def specs: Seq[Spec] =
    handedOn.fold(_ => Seq(Spec.Text("all elements")), _.specs) ++ (windowState ++ globalState).map(_.spec)

  def stateSchema: StructType = handedOn.fold(_.schema, _.stateSchema)

  override def stateText: String = handedOn.fold(_ => super.stateText, _.stateText)

  def keptContents: ContentsFormat = handedOn.fold(_ => ContentsFormat.Rows, _.keptContents)

  override def keptStates: StructType =
    StructType((windowState ++ globalState).map(s => StructField(s.name, s.schema)).toSeq)

  override def setsTimers(clock: TimeDomain): Boolean = (windowState ++ globalState).exists(_.expiresBy(clock))

  def isOrderInsensitive: Boolean = handedOn.exists(_.isOrderInsensitive) && windowState.isEmpty && globalState.isEmpty

  override def mergesInAnyOrder: Boolean = handedOn.exists(_.mergesInAnyOrder)

  def inTask(argumentOrdinals: Array[Int], fields: Int): TaskComputation[_ <: AnyRef] = handedOn match {
    case Right(computation) => overResult(computation.inTask(argumentOrdinals, fields))
    case Left(view)         => overElements(view, fields)
  }

  private def overResult[C <: AnyRef](inner: TaskComputation[C]): TaskComputation[C] =
    new TaskComputation[C] {
      private[this] val rows = new Rows

      def contents: WindowContents[InternalRow, C] = inner.contents

      // State expressions read the result as a struct.
      private[this] def handOn(firing: FiringContext, out: InternalRow => Unit)(row: InternalRow): Unit =
        rows.put(new GenericArrayData(Array[Any](row)), new GenericInternalRow(Array[Any](row)), firing, out)

      def fire(contents: C, firing: FiringContext, out: InternalRow => Unit): Unit =
        inner.fire(contents, firing, handOn(firing, out))

      def fireElements(elements: ElementList[InternalRow], firing: FiringContext, out: InternalRow => Unit): Unit =
        inner.fireElements(elements, firing, handOn(firing, out))

      override def cleared(window: FiringContext): Unit = {
        inner.cleared(window)
        rows.cleared(window)
      }
    }

  private def overElements(view: RowView, fields: Int): TaskComputation[ElementList[InternalRow]] =
    new TaskComputation[ElementList[InternalRow]] {
      private[this] val rows    = new Rows
      private[this] val element = UnsafeProjection.create(
        view.ordinals.zip(columns).map { case (at, f) => BoundReference(at, f.dataType, nullable = true) }
      )

      val contents: WindowContents[InternalRow, ElementList[InternalRow]] = RowElements.contents(fields)

      def fire(elements: ElementList[InternalRow], firing: FiringContext, out: InternalRow => Unit): Unit = {
        val all = new GenericArrayData(Array.tabulate[Any](elements.size)(i => element(elements(i)).copy()))
        rows.put(all, new GenericInternalRow(Array[Any](all)), firing, out)
      }

      def fireElements(elements: ElementList[InternalRow], firing: FiringContext, out: InternalRow => Unit): Unit =
        fire(elements, firing, out)

      override def cleared(window: FiringContext): Unit = rows.cleared(window)
    }

  private final class Rows {
    private[this] val row = new GenericInternalRow(schema.length)

    def put(elements: GenericArrayData, result: InternalRow, firing: FiringContext, out: InternalRow => Unit): Unit = {
      val scope = scopeOf(firing.window)
      row.update(0, elements)
      row.update(1, known(firing.watermark))
      row.update(2, known(firing.processingTime))
      var at = 3
      windowState.foreach { s =>
        row.update(at, s.read(firing, scope).getStruct(0, s.schema.length))
        at += 1
      }
      globalState.foreach(s => row.update(at, s.read(firing, FunctionState.OfKey).getStruct(0, s.schema.length)))
      out(row)
      windowState.foreach(_.advance(firing, scope, result))
      globalState.foreach(_.advance(firing, FunctionState.OfKey, result))
    }

    def cleared(window: FiringContext): Unit = windowState.foreach(_.drop(window.functionState, scopeOf(window.window)))

    private[this] def known(time: Long): Any = if (time == Long.MinValue) null else time
  }

  private def scopeOf(window: Window): FunctionState.Scope = window match {
    case TimeWindow(start, end) => FunctionState.OfWindow(start, end)
    case _                      => FunctionState.OfWindow(WindowCollector.Global, WindowCollector.Global)
  }
}
