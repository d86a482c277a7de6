package dev.sparkwindowing.columns

import dev.sparkwindowing.declaration.Part
import dev.sparkwindowing.spark.plan.WindowRules

/** A part that reads columns of the input: it computes nothing until it is bound to the rows of a query. */
private[columns] trait ColumnPart[+P <: Part] { this: Part =>

  /** The same part over the rows of a query, with the parts inside it. */
  private[columns] def bind(binder: ColumnBinder): P
}

private[sparkwindowing] object ColumnPart {

  /** Binds the parts of a query to its rows, wherever they are nested. */
  def bind(rules: WindowRules, to: ColumnBinder): WindowRules =
    rules.copy(bound(rules.assigner, to), bound(rules.trigger, to), rules.evictor.map(bound(_, to)))

  /** A part in place of another is one of its kind, by the contract of `bind` and of `withChildren`. */
  private[columns] def bound[P <: Part](part: P, to: ColumnBinder): P = walk(part, to).asInstanceOf[P]

  private def walk(part: Part, to: ColumnBinder): Part = part match {
    case columns: ColumnPart[_]            => columns.bind(to)
    case plain if plain.children.isEmpty   => plain
    case outer                             => outer.withChildren(outer.children.map(walk(_, to)))
  }
}
