package dev.sparkwindowing.columns

import dev.sparkwindowing.declaration.Part
import dev.sparkwindowing.spark.expressions.ColumnBinder

/** A part that reads columns of the input: it computes nothing until it is bound to the rows of a query. */
private[columns] trait ColumnPart[+P <: Part] { this: Part =>

  /** The same part over the rows of a query, with the parts inside it. */
  private[columns] def bind(binder: ColumnBinder): P
}

private[sparkwindowing] object ColumnPart {

  /** A part bound to the rows of a query, with the parts inside it. What takes the place of a part is of its kind, by
    * the contract of `bind` and of `withChildren`.
    */
  def bound[P <: Part](part: P, to: ColumnBinder): P = walk(part, to).asInstanceOf[P]

  private def walk(part: Part, to: ColumnBinder): Part = part match {
    case columns: ColumnPart[_]          => columns.bind(to)
    case plain if plain.children.isEmpty => plain
    case outer                           =>
      val inside = outer.children.map(walk(_, to))
      if (inside.corresponds(outer.children)(_ eq _)) outer else outer.withChildren(inside)
  }
}
