package dev.sparkwindowing.spark.analysis

import dev.sparkwindowing.spark.computations.KeyedProcess
import dev.sparkwindowing.spark.declared.Computed
import dev.sparkwindowing.spark.outputs.OperatorNode
import dev.sparkwindowing.spark.plan.{AssignedWindows, KeyedInput}
import org.apache.spark.sql.DataFrame

/** Functions on the elements and timers of a key, without windows. */
private[analysis] object KeyWork {

  def result(input: KeyedInput, work: Computed.OfKey): DataFrame = work match {
    case Computed.ColumnProcessed(function) =>
      function.eventTimeUse.foreach(AssignedWindows.checkEventTime(input, _))
      OperatorNode.result(input, None)(function.bind(input.keyFields, _))
    case Computed.RowProcessed(function, spec, schema, sides) =>
      OperatorNode.result(input, None) { binder =>
        new KeyedProcess(function, spec, schema, sides, input.keyFields, binder.rowView)
      }
  }
}
