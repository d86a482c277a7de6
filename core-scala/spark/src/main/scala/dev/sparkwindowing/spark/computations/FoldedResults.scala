package dev.sparkwindowing.spark.computations

import dev.sparkwindowing.spark.expressions.WindowResults
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

/** Results of a computation that takes elements one by one. */
private[computations] final class FoldedResults(of: PartialComputation) extends WindowResults {
  def schema: StructType = of.schema

  // A task has the arguments of functions by their positions only, which results do not need.
  private val arguments = of.arguments.size

  def inTask(): (AnyRef, InternalRow => Unit) => Unit = {
    val task = of.inTask(new Array[Int](arguments), 0).asInstanceOf[PartialContents[AnyRef]]
    (contents, out) => task.fire(contents, null, out)
  }
}
