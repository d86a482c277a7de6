package dev.sparkwindowing.spark.analysis

import dev.sparkwindowing.spark.aggregates.AggregateAnalysis
import dev.sparkwindowing.spark.computations._
import dev.sparkwindowing.spark.declared.Computed
import dev.sparkwindowing.spark.declared.Computed._
import dev.sparkwindowing.spark.expressions.{ColumnBinder, Columns}
import dev.sparkwindowing.spark.plan.{KeyedInput, TaggedUnion, WindowRules}
import org.apache.spark.sql.SparkWindowingBridge

/** The computation of windows, bound to the rows of their input. */
private[analysis] object WindowWork {

  def of(work: OfWindow, input: KeyedInput, rules: WindowRules, binder: ColumnBinder): Computation = work match {
    case folded: Folded                         => WindowWork.folded(folded, input, rules, binder)
    case Joined(kind)                           => new WindowJoin(TaggedUnion.structs(input), input.keys.size, kind)
    case Processed(of, function, schema, sides) =>
      val handedOn = of.toRight(binder.rowView).map(WindowWork.folded(_, input, rules, binder))
      new ProcessComputation(handedOn, function, schema, sides, input.keyFields, !rules.assigner.hasFixedBounds)
    case python: PythonProcessed => PythonFunctionWork.of(python, input, rules, binder)
  }

  def folded(work: Computed.Folded, input: KeyedInput, rules: WindowRules, binder: ColumnBinder): Computation = {
    def merging = if (rules.assigner.isMerging) Some(rules.assigner.toString) else None
    work match {
      case Aggregates(columns) =>
        val aggregates = AggregateAnalysis(input.df, columns, input.retracts.map(Columns.unnamed))
        ChangeFeed.check(input, aggregates)
        aggregates
      case ColumnAggregate(function) =>
        val bound = function.bind(binder, merging)
        ChangeFeed.check(input, "AggregateFunction", binder.columns)
        bound
      case RowAggregate(function, spec) => RowFold.aggregate(function, spec, binder)
      case ColumnReduced(function)      => function.bind(shown(input), binder)
      case RowReduced(function, spec)   => RowFold.reduce(function, spec, shown(input), binder)
      case OfField(aggregate, field)    =>
        ChangeFeed.check(input, aggregate.name, Nil)
        val reduced = aggregate.reduced(input.df.schema, field)
        ColumnReduce.bind(reduced, isMergeable = false, shown(input), aggregate.name, binder)
    }
  }

  // Positions of the input columns that are not key columns of the result.
  private def shown(input: KeyedInput): Seq[Int] = {
    val columns = SparkWindowingBridge.analyzedPlan(input.df).output
    columns.indices.filterNot(i => !input.hidesKeys && input.keys.exists(_.semanticEquals(columns(i))))
  }
}
