package dev.sparkwindowing.spark.computations

import dev.sparkwindowing.declaration.{FieldSpecs, Spec}
import dev.sparkwindowing.functions.{Collector, ProcessWindowFunction, WindowFunction}
import org.apache.spark.sql.Row

/** Window function as a process function that does not use the context. */
private[sparkwindowing] final class WindowFunctionOnly(private val function: WindowFunction[Row, Row, Row])
    extends ProcessWindowFunction[Row, Row, Row] {

  def process(
      key: Row,
      context: ProcessWindowFunction.Context,
      elements: Iterable[Row],
      out: Collector[Row]
  ): Unit = function(key, context.window, elements, out)
}

private[computations] object WindowFunctionOnly {

  /** Spec of a process function: the class that the user wrote. */
  def specOf(function: ProcessWindowFunction[Row, Row, Row]): Spec = FieldSpecs.ofClass(function match {
    case only: WindowFunctionOnly => only.function
    case other                    => other
  })
}
