package dev.sparkwindowing.spark.outputs

import dev.sparkwindowing.assigners.GlobalWindows
import dev.sparkwindowing.columns.ColumnPart
import dev.sparkwindowing.operator.KeyedPlan
import dev.sparkwindowing.spark.advice.Face
import dev.sparkwindowing.spark.computations.{Computation, KeyedWork}
import dev.sparkwindowing.spark.expressions.ColumnBinder
import dev.sparkwindowing.spark.operators.{CheckpointCheck, SessionOperator}
import dev.sparkwindowing.spark.plan.{
  InputLayout,
  KeyedInput,
  OutputLayout,
  PythonFunctionOutput,
  ResultTime,
  WindowNode,
  WindowProgram,
  WindowRules
}
import dev.sparkwindowing.spark.rows.EventTimeType
import dev.sparkwindowing.triggers.NeverTrigger
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.{DataFrame, SparkWindowingBridge}

/** Builds the window operator over the rows of a keyed stream. */
private[sparkwindowing] object OperatorNode {

  /** The main output of the operator.
    *
    * @param windows
    *   None for a function on elements and timers
    */
  def result(input: KeyedInput, windows: Option[WindowRules])(work: ColumnBinder => KeyedWork): DataFrame = {
    val node = of(input, windows, None)(work)
    SideOutputs.main(input.df.sparkSession, AllOutputs(node, node.program.output))
  }

  /** All rows of the operator, for a function after it.
    *
    * @param function
    *   the output of that function, given the output of the operator
    */
  def handed(input: KeyedInput, rules: WindowRules, function: OutputLayout => PythonFunctionOutput)(
      work: ColumnBinder => KeyedWork
  ): DataFrame =
    SparkWindowingBridge.toDataFrame(input.df.sparkSession, of(input, Some(rules), Some(function))(work))

  private def of(
      input: KeyedInput,
      windows: Option[WindowRules],
      function: Option[OutputLayout => PythonFunctionOutput]
  )(declare: ColumnBinder => KeyedWork): WindowNode = SparkWindowingBridge.within(input.df.sparkSession) {
    val rules     = windows.getOrElse(NoWindows)
    val plan      = SparkWindowingBridge.analyzedPlan(input.df)
    val eventTime = input.eventTime
    val times     = eventTime.fold[EventTimeType](EventTimeType.Instant)(_.times)
    val late      = rules.lateTag.map(OutputLayout.late(_, plan.output, times, rules.isNamed))
    val binder    = new ColumnBinder(input.df, times)
    val work      = declare(binder)
    binder.results = work match {
      case of: Computation => of.results
      case _               => None
    }
    val key = if (windows.nonEmpty) bound(rules, binder).plan(work) else KeyedPlan.Process[InternalRow]()
    // Stored rows are read up to the last column that a part has bound.
    val shown               = if (rules.withRow) Some(binder.rowView) else None
    val row                 = late.fold(Seq.empty[Attribute])(_ => plan.output)
    val exact               = if (!plan.isStreaming && key.needsOrder) eventTime.flatMap(_.exact) else None
    val (layout, projected) =
      InputLayout.project(plan, input.keys, eventTime.map(_.millis), work.arguments, binder.columns, row, exact)
    binder.place(layout.partOrdinals)
    val when   = if (windows.nonEmpty) rules.resultTime else eventTime.fold[ResultTime](ResultTime.Unknown)(_.ofCall)
    val output = new OutputLayout(
      input.keyFields,
      work.schema,
      late,
      work.sideOutputs,
      rules.pane,
      when,
      shown.map(OutputLayout.rowOf),
      times,
      rules.changelog,
      rules.fillEmpty.nonEmpty,
      rules.isNamed
    )
    val program =
      new WindowProgram(
        key,
        work,
        input.onMissingTime,
        layout,
        output,
        function.map(_(output)),
        CheckpointCheck,
        rules.collapsesFirings,
        rules.allowsStateChange,
        shown,
        Face.inUse
      )
    val node = WindowNode(program, output.attributes(plan.isStreaming), projected)
    SessionOperator.refuse(node)
    node
  }

  private def NoWindows = WindowRules(GlobalWindows.create(), Some(NeverTrigger.create()))

  private def bound(rules: WindowRules, to: ColumnBinder): WindowRules = rules.copy(
    ColumnPart.bound(rules.assigner, to),
    Some(ColumnPart.bound(rules.trigger, to)),
    rules.evictor.map(ColumnPart.bound(_, to))
  )
}
