package dev.sparkwindowing.functions

import org.apache.spark.sql.Row

/** Computes any number of results from the rows of several inputs in a firing window, for
  * [[dev.sparkwindowing.SparkWindowing.coGroup]], as Flink's `CoGroupFunction`.
  */
abstract class CoGroupFunction extends ProcessWindowFunction[Row, Row, Row] {

  /** Called when the window fires.
    *
    * @param inputs
    *   the rows of each input by its name, in order of arrival; none for an input without rows in the window
    */
  def coGroup(
      key: Row,
      context: ProcessWindowFunction.Context,
      inputs: CoGroupFunction.Inputs,
      out: Collector[Row]
  ): Unit

  final def process(
      key: Row,
      context: ProcessWindowFunction.Context,
      elements: Iterable[Row],
      out: Collector[Row]
  ): Unit = coGroup(key, context, new CoGroupFunction.Inputs(elements), out)
}

object CoGroupFunction {

  /** The rows of a window by the name of their input. */
  final class Inputs private[functions] (elements: Iterable[Row]) {

    /** @throws java.lang.IllegalArgumentException
      *   if there is no input of that name
      */
    def apply(name: String): Iterable[Row] = elements.headOption.fold(Seq.empty[Row]) { first =>
      val at = first.fieldIndex(name)
      elements.iterator.filterNot(_.isNullAt(at)).map(_.getStruct(at)).toSeq
    }
  }
}
