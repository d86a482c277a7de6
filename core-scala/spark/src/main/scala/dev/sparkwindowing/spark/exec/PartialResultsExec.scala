package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.computations.PartialContents
import dev.sparkwindowing.spark.expressions.JoinedReference
import dev.sparkwindowing.spark.expressions.JoinedReference.{Left, Right}
import dev.sparkwindowing.spark.plan.{InputLayout, PreAggregation}
import dev.sparkwindowing.spark.task.{
  PartialResult,
  PartialResults,
  PartialSessions,
  PartialSlices,
  RunningBatch,
  TaskPool
}
import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.types.{DataType, LongType}

/** Pre-aggregation of rows by key and session or slice, within an input partition.
  *
  * @param layout
  *   columns of the rows of `child`
  */
private[spark] final case class PartialResultsExec(
    path: PreAggregation.Aggregated,
    layout: InputLayout,
    batch: RunningBatch,
    output: Seq[Attribute],
    child: SparkPlan
) extends UnaryExecNode {

  override def producedAttributes: AttributeSet = AttributeSet(output.drop(layout.keyCount))

  override lazy val metrics: Map[String, SQLMetric] =
    Map("numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"))

  override protected def doExecute(): RDD[InternalRow] = {
    val watermark      = batch.watermark
    val pool           = batch.pool.map(_.of("partials"))
    val made           = longMetric("numOutputRows")
    val (ours, inputs) = (path, layout)
    child.execute().mapPartitions { rows =>
      def fresh: PartialResultsTask = PartialResultsTask(ours, inputs)
      pool.fold(fresh)(TaskPool.OfExecutor.borrow(_)(fresh)).of(rows, watermark).map { row =>
        made += 1
        row
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): PartialResultsExec = copy(child = newChild)
}

private[spark] object PartialResultsExec {

  def plan(
      path: PreAggregation.Aggregated,
      layout: InputLayout,
      batch: RunningBatch,
      input: SparkPlan
  ): PartialResultsExec = {
    def column(name: String, dataType: DataType) = AttributeReference(name, dataType)()
    val time  = AttributeReference("event_time", LongType, nullable = true, InputLayout.Marked)()
    val slots = path.computation.partialSchema.map(f => column(f.name, f.dataType))
    val facts = Seq("rows", "session_end", "row_number").map(column(_, LongType))
    val keys  = input.output.take(layout.keyCount)
    PartialResultsExec(path, layout, batch, (keys :+ time) ++ slots ++ facts, input)
  }
}

/** Pre-aggregation in one task. */
private[exec] sealed trait PartialResultsTask {

  /** @param watermark
    *   the watermark that the operator uses to judge lateness, `Long.MinValue` for none
    * @return
    *   one row per key and session or slice, which is a reused buffer
    */
  def of(rows: Iterator[InternalRow], watermark: Long): Iterator[InternalRow]
}

/** @param limit
  *   approximate number of bytes of sessions or slices that it holds before it emits them
  */
private[exec] final class PartialResultsOf[C <: AnyRef](
    contents: PartialContents[C],
    path: PreAggregation.Aggregated,
    layout: InputLayout,
    limit: Long
) extends PartialResultsTask {
  private[this] val keyOf   = UnsafeProjection.create(layout.types.take(layout.keyCount))
  private[this] val isFixed = layout.keyTypes.forall(UnsafeRow.isFixedLength)
  private[this] val slots   = path.computation.partialSchema.map(_.dataType)
  private[this] val times   = new SpecificInternalRow(Seq(LongType, LongType, LongType, LongType))
  private[this] val facts   = new JoinedRow
  private[this] val joined  = new JoinedRow

  private[this] val partials: PartialResults[C] = path match {
    case s: PreAggregation.Sessions => new PartialSessions(contents, s.gap, s.lateness)
    case s: PreAggregation.Slices   => new PartialSlices(contents, s.slices)
  }

  // Over the key, the buffer slots, and start, number of rows, end and number of the session or slice.
  private[this] val result: UnsafeProjection = {
    def columns(types: Seq[DataType], path: JoinedReference.Side*) =
      types.zipWithIndex.map { case (t, i) => JoinedReference(path, i, t, nullable = true) }
    val keys           = columns(layout.keyTypes, Left)
    val state          = columns(slots, Right, Left)
    val start +: facts = columns(Seq.fill(4)(LongType), Right, Right)
    UnsafeProjection.create((keys :+ start) ++ state ++ facts.map(_.copy(nullable = false)))
  }

  def of(rows: Iterator[InternalRow], watermark: Long): Iterator[InternalRow] = new Iterator[InternalRow] {
    private[this] var number                            = TaskContext.getPartitionId().toLong << 33
    private[this] var ready: Iterator[PartialResult[C]] = Iterator.empty
    private[this] var last: UnsafeRow                   = _

    def hasNext: Boolean = {
      if (!ready.hasNext && rows.hasNext) fill()
      val isMore = ready.hasNext
      if (!isMore) forget()
      isMore
    }

    def next(): InternalRow = rowOf(ready.next())

    // The pool keeps this object.
    private[this] def forget(): Unit = {
      ready = Iterator.empty
      partials.clear()
    }

    private[this] def fill(): Unit = {
      partials.begin(watermark)
      last = null
      while (rows.hasNext && partials.bytes < limit) {
        val row  = rows.next()
        val time = if (row.isNullAt(layout.timeOrdinal)) Long.MinValue else row.getLong(layout.timeOrdinal)
        if (last == null || !isOf(last, row)) last = partials.open(keyOf(row))
        partials.add(row, time, number)
        number += 1
      }
      ready = partials.partials
    }
  }

  // Rows of a key often follow each other. Words of fixed-width keys are compared in place.
  private[this] def isOf(key: UnsafeRow, row: InternalRow): Boolean = row match {
    case u: UnsafeRow if isFixed =>
      var i = 0
      while (i < layout.keyCount && u.isNullAt(i) == key.isNullAt(i) && u.getLong(i) == key.getLong(i)) i += 1
      i == layout.keyCount
    case _ => keyOf(row) == key
  }

  private[this] def rowOf(s: PartialResult[C]): InternalRow = {
    if (s.hasTime) times.setLong(0, s.start) else times.setNullAt(0)
    times.setLong(1, s.rows)
    times.setLong(2, s.end)
    times.setLong(3, s.number)
    result(joined(s.key, facts(contents.written(s.buffer), times)))
  }
}

private[exec] object PartialResultsTask {

  /** Approximate number of bytes that one task may use. */
  private val Limit = 64L << 20

  def apply(path: PreAggregation.Aggregated, layout: InputLayout, limit: Long = Limit): PartialResultsTask = {
    def over[C <: AnyRef](contents: PartialContents[C]) = new PartialResultsOf(contents, path, layout, limit)
    over(path.computation.inTask(layout.argumentOrdinals, layout.types.length))
  }
}
