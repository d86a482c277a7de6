package dev.sparkwindowing.columns

import dev.sparkwindowing.declaration.Part
import dev.sparkwindowing.spark.expressions.ColumnBinder

/** Part that reads columns of the input. It can be used only after it is bound to the rows of a query. */
private[columns] trait ColumnPart[+P <: Part] { this: Part =>

  /** A copy bound to the rows of a query, including the parts inside it. */
  private[columns] def bind(binder: ColumnBinder): P

  /** Member of a bound copy; it throws in a part that is not bound. */
  private[columns] final def onceBound[A](found: Option[A]): A =
    found.getOrElse(throw new IllegalStateException(s"$this is not bound to a query"))
}

private[sparkwindowing] object ColumnPart {

  /** A copy of a part bound to the rows of a query, including the parts inside it. A part is replaced by one of the
    * same type, by the contract of `bind` and of `withChildren`.
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
