package dev.sparkwindowing.columns

import dev.sparkwindowing.assigners._
import dev.sparkwindowing.evictors.{DeltaEvictor, Evictor}
import dev.sparkwindowing.spark.plan.WindowRules
import dev.sparkwindowing.triggers._
import org.apache.spark.sql.catalyst.InternalRow

/** A part that is written in columns of the input, and computes nothing until it is bound to the rows of a query. */
private[columns] trait ColumnPart[+P] {
  private[columns] def bind(binder: ColumnBinder): P
}

/** Binds the parts of a query that are written in columns to its rows, also inside the built-in ones. */
private[sparkwindowing] object BoundParts {

  def bind(rules: WindowRules, to: ColumnBinder): WindowRules =
    rules.copy(bind(rules.assigner, to), bind(rules.trigger, to), rules.evictor.map(bind(_, to)))

  private def bind(assigner: WindowAssigner[InternalRow], to: ColumnBinder): WindowAssigner[InternalRow] =
    assigner match {
      case a: ColumnAssigner                                   => a.bind(to)
      case a: RowParts.RowAssigner                             => a.bind(to)
      case DynamicEventTimeSessionWindows(gap: ColumnGap)      => EventTimeSessionWindows.withDynamicGap(gap.bind(to))
      case DynamicProcessingTimeSessionWindows(gap: ColumnGap) =>
        ProcessingTimeSessionWindows.withDynamicGap(gap.bind(to))
      case other => other
    }

  private def bind(trigger: Trigger[InternalRow], to: ColumnBinder): Trigger[InternalRow] = trigger match {
    case t: ColumnTrigger       => t.bind(to)
    case t: AnswerTrigger       => t.bind(to)
    case t: RowParts.RowTrigger => t.bind(to)
    case t: DeltaTrigger[_]     =>
      (t.delta: Any) match {
        case delta: ColumnDelta => DeltaTrigger.of[InternalRow](t.threshold, delta.bind(to), KeptRowCodec)
        case _                  => trigger
      }
    case PurgingTrigger(nested)                                     => PurgingTrigger.of(bind(nested, to))
    case OnceTrigger(nested)                                        => OnceTrigger.of(bind(nested, to))
    case AnyTrigger(parts)                                          => AnyTrigger.of(parts.map(bind(_, to)): _*)
    case ProcessingTimeoutTrigger(nested, timeout, reset, clearing) =>
      ProcessingTimeoutTrigger.of(bind(nested, to), java.time.Duration.ofMillis(timeout), reset, clearing)
    case other => other
  }

  private def bind(evictor: Evictor[InternalRow], to: ColumnBinder): Evictor[InternalRow] = evictor match {
    case e: ColumnEvictor                                   => e.bind(to)
    case e: RowParts.RowEvictor                             => e.bind(to)
    case DeltaEvictor(threshold, delta: ColumnDelta, after) => DeltaEvictor.of(threshold, delta.bind(to), after)
    case other                                              => other
  }
}
