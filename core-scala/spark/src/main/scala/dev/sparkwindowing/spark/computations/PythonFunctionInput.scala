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

/** Rows for a function after the operator, one per firing: the elements (or the one result of another computation) as
  * an array of structs, watermark and processing time in milliseconds, and the states before the firing.
  */
private[sparkwindowing] final class PythonFunctionInput(
    of: Either[RowView, Computation],
    windowState: Option[BoundColumnState],
    globalState: Option[BoundColumnState]
) extends FunctionOfFiring(of) {
  private val columns = handedOn.fold(_.schema, _.schema)

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

  override def keptStates: StructType =
    StructType((windowState ++ globalState).map(s => StructField(s.name, s.schema)).toSeq)

  override def setsTimers(clock: TimeDomain): Boolean = (windowState ++ globalState).exists(_.expiresBy(clock))

  override def isOrderInsensitive: Boolean =
    handedOn.exists(_.isOrderInsensitive) && windowState.isEmpty && globalState.isEmpty

  protected def callInTask(): FiringCall = new Rows

  private final class Rows extends FiringCall {
    private[this] val row     = new GenericInternalRow(schema.length)
    private[this] val element = handedOn.left.toOption.map { view =>
      UnsafeProjection.create(view.ordinals.zip(columns).map { case (at, f) =>
        BoundReference(at, f.dataType, nullable = true)
      })
    }

    def ofElements(elements: ElementList[InternalRow], firing: FiringContext, out: InternalRow => Unit): Unit = {
      val read = element.get
      val all  = new GenericArrayData(Array.tabulate[Any](elements.size)(i => read(elements(i)).copy()))
      put(all, new GenericInternalRow(Array[Any](all)), firing, out)
    }

    // State expressions read the result as a struct.
    def ofResult(result: InternalRow, firing: FiringContext, out: InternalRow => Unit): Unit =
      put(new GenericArrayData(Array[Any](result)), new GenericInternalRow(Array[Any](result)), firing, out)

    private[this] def put(
        elements: GenericArrayData,
        result: InternalRow,
        firing: FiringContext,
        out: InternalRow => Unit
    ): Unit = {
      val scope = FunctionState.of(firing.window)
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

    def cleared(window: FiringContext): Unit =
      windowState.foreach(_.drop(window.functionState, FunctionState.of(window.window)))

    private[this] def known(time: Long): Any = if (time == Long.MinValue) null else time
  }
}
