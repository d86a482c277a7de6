package dev.sparkwindowing.declaration

import dev.sparkwindowing.windows.Millis

/** Node of the tree that represents a declaration in checkpoints, in `explain` and in errors.
  *
  * Nodes are data: two starts of the same query give equal trees, and a changed query gives a different one.
  */
sealed trait Spec extends Product with Serializable {

  /** Memory of a trigger that can be forgotten, since any other such trigger can take its windows over; None for other
    * nodes.
    */
  def forgettable: Option[Forgettable] = None

  /** False for the value of an argument that is left out where a declaration is written. */
  def isWritten: Boolean = true
}

/** Memory of a trigger that is forgotten when another one takes its place.
  *
  * @param numbers
  *   number of numbers in its memory of a window, which has no values
  * @param mayWait
  *   true if elements may wait for a firing in a window that has ended
  */
final case class Forgettable(numbers: Int, mayWait: Boolean = false)

/** Class and its arguments.
  *
  * @param name
  *   the class, with its factory method if it has several: a simple name for classes of this library, else with the
  *   package
  * @param arguments
  *   the required arguments, in order
  * @param options
  *   the optional arguments that differ from their defaults
  */
final case class PartSpec(
    name: String,
    arguments: Seq[(String, Spec)] = Nil,
    options: Seq[(String, Spec)] = Nil,
    override val forgettable: Option[Forgettable] = None
) extends Spec {

  /** Adds an option, unless `value` is the default. */
  def option(name: String, value: Spec, default: Spec): PartSpec =
    if (value == default) this else copy(options = options :+ (name -> value))

  /** A copy with other parts, in the order of the arguments that are parts. */
  def around(parts: Seq[Spec]): PartSpec = {
    val rest                        = parts.iterator
    def replaced(value: Spec): Spec = value match {
      case _: PartSpec        => if (rest.hasNext) rest.next() else value
      case Spec.Items(values) => Spec.Items(values.map(replaced))
      case other              => other
    }
    copy(name, arguments.map { case (n, v) => n -> replaced(v) }, options.map { case (n, v) => n -> replaced(v) })
  }

  /** The call that creates the part, for display. */
  override def toString: String = {
    val all = arguments.map(_._2.toString) ++ options.map { case (n, v) => s"$n = $v" }
    if (all.isEmpty) name else all.mkString(s"$name(", ", ", ")")
  }
}

object Spec {

  /** Whole number. */
  final case class Count(value: Long) extends Spec {
    override def toString: String = value.toString
  }

  /** Floating-point number. */
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

  /** Duration in milliseconds.
    *
    * @param mayGrow
    *   whether a query with a longer duration can take over the state; not part of equality
    */
  final case class Duration(millis: Long)(val mayGrow: Boolean = false) extends Spec {
    override def toString: String = Millis.show(millis)
  }

  /** Value that a changed query may have: it goes on with the state that was written with another one.
    *
    * @param default
    *   the value that is not written, so that it is that of a declaration without the argument
    */
  final case class Free(of: Spec, default: Option[Spec] = None) extends Spec {
    override def isWritten: Boolean = !default.contains(of)

    override def toString: String = of.toString
  }

  /** Column as the SQL of its expression, with its type if the type affects the state. */
  final case class Sql(text: String, dataType: Option[String] = None) extends Spec {
    override def toString: String = (text +: dataType.toSeq).mkString(" ")
  }

  /** Sequence of nodes. */
  final case class Items(values: Seq[Spec]) extends Spec {
    override def toString: String = values.mkString(", ")
  }

  def millis(value: Long): Spec = Duration(value)()
}
