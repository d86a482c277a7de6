package dev.sparkwindowing.spark.analysis

import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.computations.{Computation, PythonFunctionInput, PythonTypes}
import dev.sparkwindowing.spark.declared.Computed.PythonProcessed
import dev.sparkwindowing.spark.expressions.{ColumnBinder, StructFit}
import dev.sparkwindowing.spark.outputs.OperatorNode
import dev.sparkwindowing.spark.plan.{AssignedWindows, KeyedInput, OutputLayout, PythonFunctionOutput, WindowRules}
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.types.{ArrayType, DataType}

/** Rows of an operator for a Python function that runs after it, in another process. */
private[analysis] object PythonFunctionWork {

  /** The rows that the function gets. */
  def handed(input: KeyedInput, rules: WindowRules, work: PythonProcessed): DataFrame = {
    checkStates(input, rules, work)
    (work.schema +: work.sideOutputs.map(_.schema)).foreach { given =>
      PythonTypes.check(given)((name, kind) => s"""return another type, "$name $kind", and cast the column after it""")
    }
    def function(handed: OutputLayout) = PythonFunctionOutput(
      work.id,
      new OutputLayout(
        input.keyFields,
        work.schema,
        handed.late,
        work.sideOutputs,
        rules.pane,
        rules.resultTime,
        handed.row,
        handed.times,
        showsEmpty = handed.showsEmpty
      )
    )
    if (work.of.isEmpty) StructFit.refuseTwice(input.df.schema, "process: the input")
    OperatorNode.handed(input, rules, function)(of(work, input, rules, _))
  }

  def of(work: PythonProcessed, input: KeyedInput, rules: WindowRules, binder: ColumnBinder): Computation = {
    val source   = work.of.toRight(binder.rowView).map(WindowWork.folded(_, input, rules, binder))
    val result   = source.fold[DataType](v => ArrayType(v.schema), _.schema)
    val ofWindow = work.windowState.map(_.bind("window_state", result, binder))
    val ofKey    = work.globalState.map(_.bind("global_state", result, binder))
    PythonTypes.check(input.keyFields ++ source.fold(_.schema, _ => Nil)) { (name, kind) =>
      s"cast it, ${Code.df.withColumn(name, Code.column(name).cast(kind))}"
    }
    PythonTypes.check(source.fold(_ => Nil, _.schema)) { (name, kind) =>
      s"cast it, such as ${Code.function("max", Code.reference(name)).cast(kind).as(name)}"
    }
    (ofWindow ++ ofKey).foreach { state =>
      PythonTypes.check(state.schema)((name, kind) =>
        s"cast it, ${state.name}: CAST($name AS ${kind.toUpperCase}) AS $name"
      )
    }
    new PythonFunctionInput(source, ofWindow, ofKey)
  }

  private def checkStates(input: KeyedInput, rules: WindowRules, work: PythonProcessed): Unit = {
    if (work.windowState.nonEmpty && !rules.assigner.hasFixedBounds)
      throw new UnsupportedOperationException(
        s"window_state: the windows of ${rules.assigner} ${if (rules.assigner.isMerging) "merge"
          else "change with late rows"}, and " +
          "have no state of their own: use global_state"
      )
    if (work.windowState.exists(_.ttl.nonEmpty))
      throw new UnsupportedOperationException(
        "window_state: it is removed with its window and has no ttl: use global_state, or take ttl away"
      )
    if (work.globalState.exists(_.ttl.exists(_.clock == TimeDomain.EventTime))) checkEventTimeToLive(input, rules)
  }

  private def checkEventTimeToLive(input: KeyedInput, rules: WindowRules): Unit = {
    AssignedWindows.checkEventTime(
      input,
      s"global_state: ttl in event time (${Code.named("ttl_clock", Code.text("processing_time"))} is the other)"
    )
    rules.assigner match {
      case other if other.clock.contains(TimeDomain.ProcessingTime) =>
        throw new IllegalArgumentException(
          s"global_state: ttl in event time with windows of processing time ($other): measure it by their clock, " +
            s"ColumnState.of(.., ttl=.., ${Code.named("ttl_clock", Code.text("processing_time"))})"
        )
      case _ =>
    }
  }
}
