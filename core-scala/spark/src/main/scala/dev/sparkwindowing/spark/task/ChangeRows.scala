package dev.sparkwindowing.spark.task

import dev.sparkwindowing.operator.PaneInfo
import dev.sparkwindowing.spark.plan.Changelog
import dev.sparkwindowing.spark.rows.KeptRowCodec
import dev.sparkwindowing.state.FunctionState
import dev.sparkwindowing.windows.{Window, WindowCollector}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeProjection}
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

/** Changes of the result by the firings of one task.
  *
  * @param emit
  *   takes a change: its window, kind, number, and the columns of the result, which may be a reused buffer
  */
private[task] final class ChangeRows(
    changelog: Changelog,
    results: StructType,
    emit: (Window, UTF8String, Long, InternalRow) => Unit
) {
  import ChangeRows._

  // The state of a window is a struct, as that of functions is.
  private[this] val toKept  = UnsafeProjection.create(changelog.states(results))
  private[this] val struct  = new GenericInternalRow(1)
  private[this] val nothing = new GenericInternalRow(results.length)

  /** Emits the changes of a firing.
    *
    * @param compute
    *   computes its row and passes it on
    * @throws java.lang.IllegalStateException
    *   if it has none
    */
  def fire(window: Window, pane: PaneInfo, state: FunctionState)(compute: (InternalRow => Unit) => Unit): Unit = {
    // A session that got shorter again can have replaced others and itself.
    val ownBefore = deleteReplaced(window, pane, state)
    var isFound   = false
    compute { row =>
      isFound = true
      if (changelog.before) updateKept(window, pane, state, row)
      else emit(window, if (ownBefore || pane.hasFired) After else Insert, pane.number, row)
    }
    if (!isFound)
      throw new IllegalStateException(
        "a firing has no row, since the result of its function is null: a change stream has a row for each firing. " +
          "Return a row of nulls in its place"
      )
  }

  /** Removes what is stored of a window that is no more. */
  def forget(window: Window, state: FunctionState): Unit =
    if (changelog.before) state.remove(FunctionState.of(window), Changelog.LastRow)

  // True if the window itself is among them.
  private[this] def deleteReplaced(window: Window, pane: PaneInfo, state: FunctionState): Boolean = {
    var isOwn = false
    if (pane.replaced != null && !pane.isReplacedShown) pane.replaced.foreach { (start, end) =>
      val gone = WindowCollector.window(start, end)
      if (gone == window) isOwn = true
      else if (changelog.before) {
        kept(gone, state).foreach(emit(gone, Delete, 2 * pane.number, _))
        forget(gone, state)
      } else emit(gone, Delete, pane.number, nothing)
    }
    isOwn
  }

  // The old row has the even number before that of the new one.
  private[this] def updateKept(window: Window, pane: PaneInfo, state: FunctionState, row: InternalRow): Unit = {
    val number = 2 * pane.number
    val old    = kept(window, state)
    old.foreach(emit(window, Before, number, _))
    emit(window, if (old.isEmpty) Insert else After, number + 1, row)
    if (!pane.isLast) {
      struct.update(0, row)
      state.put(FunctionState.of(window), Changelog.LastRow, toKept(struct).copy(), KeptRowCodec)
    }
  }

  private[this] def kept(window: Window, state: FunctionState): Option[InternalRow] =
    state.get(FunctionState.of(window), Changelog.LastRow, KeptRowCodec).map(_.getStruct(0, results.length))
}

private object ChangeRows {
  val Insert: UTF8String = UTF8String.fromString("+I")
  val Before: UTF8String = UTF8String.fromString("-U")
  val After: UTF8String  = UTF8String.fromString("+U")
  val Delete: UTF8String = UTF8String.fromString("-D")
}
