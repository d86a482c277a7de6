package dev.sparkwindowing.spark.portable

import dev.sparkwindowing.spark.plan.{StateLimits, WindowProgram}
import dev.sparkwindowing.spark.task.{
  CompletedIterator,
  NumberedRows,
  ProgramInTask,
  StateSizes,
  TaskCounters,
  TaskPool,
  WindowTask
}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.streaming.GroupState
import org.apache.spark.sql.types.StructType

import java.sql.Timestamp
import java.util.UUID

/** The window operator as a function of Spark's `flatMapGroupsWithState`. Keys and rows are bytes of UnsafeRows. A
  * result has the bytes of a row, or none and the counts of the call.
  *
  * @param columns
  *   the columns of the rows
  * @param sortsRows
  *   whether the rows of a key are sorted by the number in their last column
  * @param run
  *   the run of the query, whose tasks share what is expensive to make
  */
private[portable] final class PortableFunction(
    program: WindowProgram,
    columns: StructType,
    sortsRows: Boolean,
    timers: PortableTimers,
    hasWatermark: Boolean,
    specification: Long,
    limits: StateLimits,
    run: Option[UUID]
) extends (
        (Array[Byte], Iterator[PortableFunction.RowBytes], GroupState[Array[Byte]]) => Iterator[
          PortableFunction.Result
        ]
    )
    with Serializable {
  import PortableFunction._

  // Each task has its own copy of this function.
  @transient private[this] lazy val work = new Work

  def apply(key: Array[Byte], rows: Iterator[RowBytes], state: GroupState[Array[Byte]]): Iterator[Result] =
    work(key, rows, state)

  private[this] final class Work {
    private[this] val operator = TaskPool.Operator(run.getOrElse(NoRun), 0L)
    private[this] val task     = new WindowTask(parts, rowsFirst = false)
    private[this] val sizes    = new StateSizes(limits, operator)
    private[this] val cell     = new GroupCell(timers, hasWatermark, specification, checkSize)
    private[this] val numbered = new NumberedRows(columns)
    private[this] val keyRow   = new UnsafeRow(program.input.keyCount)
    private[this] val row      = new UnsafeRow(columns.length)
    private[this] val counted  = new CountsOfCall(task.counters)

    private[this] def parts: ProgramInTask = {
      def made = new ProgramInTask(program, columns.length)
      if (run.nonEmpty && program.computation.isReusable)
        TaskPool.OfExecutor.borrow(operator.of("portable operator"))(made)
      else made
    }

    private[this] def checkSize(bytes: Int): Unit =
      if (sizes.isLarge(bytes.toLong)) sizes.check(bytes.toLong, keyRow, task.keyText, task.largestShare)

    def apply(key: Array[Byte], rows: Iterator[RowBytes], state: GroupState[Array[Byte]]): Iterator[Result] = {
      keyRow.pointTo(key, key.length)
      val input: Iterator[InternalRow] = rows.map { case (_, bytes, _) =>
        row.pointTo(bytes, bytes.length)
        row
      }
      val ordered  = if (sortsRows && input.hasNext) numbered.of(input) else input
      val produced = new CompletedIterator(task.run(keyRow, ordered, cell.open(state)), () => cell.close())
      produced
        .map(r => (bytesOf(r), null: Array[Long])) ++ counted.take().iterator.map(counts => (null: Array[Byte], counts))
    }
  }
}

private[portable] object PortableFunction {

  /** Key, row, and a null that has Spark drop no late row. */
  type RowBytes = (Array[Byte], Array[Byte], Timestamp)

  /** A row or counts; the other one is null. */
  type Result = (Array[Byte], Array[Long])

  private val NoRun = new UUID(0, 0)

  private def bytesOf(row: InternalRow): Array[Byte] = row.asInstanceOf[UnsafeRow].copy().getBytes
}

/** Events of a call, as the differences of the counters of a task. */
private[portable] final class CountsOfCall(counters: TaskCounters) {
  private[this] var before = read

  private[this] def read: Array[Long] = Array(
    counters.firedPanes,
    counters.skippedFirings,
    counters.numLateRecordsDropped,
    counters.lateSideOutput,
    counters.rowsWithoutEventTime
  )

  /** Counts since the last call, in the order of [[CountsOfCall.Names]]; None if all are 0. */
  def take(): Option[Array[Long]] = {
    val now    = read
    val counts = Array.tabulate(now.length)(i => now(i) - before(i))
    before = now
    if (counts.forall(_ == 0)) None else Some(counts)
  }
}

private[portable] object CountsOfCall {

  /** Names of the counters that a call changes, as in [[TaskCounters.Descriptions]]. */
  val Names: Seq[String] =
    Seq("firedPanes", "skippedFirings", "numLateRecordsDropped", "lateSideOutput", "rowsWithoutEventTime")
}
