package dev.sparkwindowing.declaration

import dev.sparkwindowing.windows.Millis

/** A node of the tree that a declaration is written as: in checkpoints, in `explain`, in errors.
  *
  * Nodes are data: two starts of the same query make equal trees, and a changed query makes another one.
  */
sealed trait Spec extends Product with Serializable {

  /** Whether this is a trigger that remembers nothing of a window, so that its windows can be taken over from and by
    * any other such trigger.
    */
  def isMemoryless: Boolean = false
}

/** A class and its arguments.
  *
  * @param name
  *   the class, with its factory if it has several: a simple name for the classes of this library, else with the
  *   package
  * @param arguments
  *   the arguments that are always given, in order
  * @param options
  *   the others, as far as they differ from their defaults
  */
final case class PartSpec(
    name: String,
    arguments: Seq[(String, Spec)] = Nil,
    options: Seq[(String, Spec)] = Nil,
    override val isMemoryless: Boolean = false
) extends Spec {

  /** The same with an option, unless that has its default. */
  def option(name: String, value: Spec, default: Spec): PartSpec =
    if (value == default) this else copy(options = options :+ (name -> value))

  /** The same around other parts, in the order of the arguments that are parts. */
  def around(parts: Seq[Spec]): PartSpec = {
    val rest                        = parts.iterator
    def replaced(value: Spec): Spec = value match {
      case _: PartSpec        => rest.nextOption().getOrElse(value)
      case Spec.Items(values) => Spec.Items(values.map(replaced))
      case other              => other
    }
    copy(name, arguments.map { case (n, v) => n -> replaced(v) }, options.map { case (n, v) => n -> replaced(v) })
  }

  /** The call that makes the part, for people. */
  override def toString: String = {
    val all = arguments.map(_._2.toString) ++ options.map { case (n, v) => s"$n = $v" }
    if (all.isEmpty) name else all.mkString(s"$name(", ", ", ")")
  }
}

object Spec {

  /** A whole number. */
  final case class Count(value: Long) extends Spec {
    override def toString: String = value.toString
  }

  /** A floating-point number. */
  final case class Real(value: Double) extends Spec {
    override def toString: String = value.toString

    // NaN is equal to itself here.
    override def equals(other: Any): Boolean = other match {
      case Real(v) => java.lang.Double.compare(v, value) == 0
      case _       => false
    }
    override def hashCode: Int = java.lang.Double.hashCode(value)
  }

  final case class Flag(value: Boolean) extends Spec {
    override def toString: String = value.toString
  }

  final case class Text(value: String) extends Spec {
    override def toString: String = value
  }

  /** A duration in milliseconds.
    *
    * @param mayGrow
    *   whether state that was kept with it can be taken over by a query that has a longer one; no part of the value
    */
  final case class Duration(millis: Long)(val mayGrow: Boolean = false) extends Spec {
    override def toString: String = Millis.show(millis)
  }

  /** A column, as the SQL of its expression, and its type where that decides about the state. */
  final case class Sql(text: String, dataType: Option[String] = None) extends Spec {
    override def toString: String = (text +: dataType.toSeq).mkString(" ")
  }

  /** Several nodes, in order. */
  final case class Items(values: Seq[Spec]) extends Spec {
    override def toString: String = values.mkString(", ")
  }

  def millis(value: Long): Spec = Duration(value)()
}
