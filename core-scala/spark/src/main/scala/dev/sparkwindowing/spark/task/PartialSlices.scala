package dev.sparkwindowing.spark.task

import dev.sparkwindowing.spark.computations.PartialContents
import dev.sparkwindowing.windows.TimeSlices
import org.apache.spark.sql.catalyst.InternalRow

/** Combines the rows of an input partition by slices, for buffers that Spark's hash aggregation cannot hold. All rows
  * of a slice are in the same windows, so they are late together, and may be combined in any way.
  */
private[sparkwindowing] final class PartialSlices[C <: AnyRef](contents: PartialContents[C], grid: TimeSlices)
    extends PartialResults[C](contents) {

  def begin(watermark: Long): Unit = clear()

  protected[this] def addTimed(row: InternalRow, time: Long, number: Long): Unit = {
    val start = grid.sliceStart(time)
    var s     = last.first
    var steps = 0
    while (s != null && s.start != start && steps < PartialResults.MaxSteps) {
      s = s.next
      steps += 1
    }
    if (s != null && s.start == start) addTo(s, row, time)
    else {
      val created = create(row, time, start, grid.sliceEnd(time), number)
      created.next = last.first
      last.first = created
    }
  }
}
