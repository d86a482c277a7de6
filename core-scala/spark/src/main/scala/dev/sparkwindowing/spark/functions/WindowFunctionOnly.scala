package dev.sparkwindowing.spark.functions

import dev.sparkwindowing.functions.{Collector, ProcessWindowFunction, WindowFunction}
import dev.sparkwindowing.spark.plan.PartText
import org.apache.spark.sql.Row

/** A window function as a process function that uses no context. */
private[sparkwindowing] final class WindowFunctionOnly(function: WindowFunction[Row, Row, Row])
    extends ProcessWindowFunction[Row, Row, Row] {

  def process(
      key: Row,
      context: ProcessWindowFunction.Context,
      elements: Iterable[Row],
      out: Collector[Row]
  ): Unit = function(key, context.window, elements, out)

  override def toString: String = PartText.ofFunction(function)
}
