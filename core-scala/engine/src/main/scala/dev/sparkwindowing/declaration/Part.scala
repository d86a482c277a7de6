package dev.sparkwindowing.declaration

/** Value in the declaration of a query: a window assigner, a trigger, an evictor, or a function inside one of them.
  *
  * A checkpoint stores a part as its [[Spec]]. A query with a different part is refused on that checkpoint, and the
  * error names the argument that differs. `toString` is only for display.
  */
trait Part extends Serializable {

  /** The part as data: equal at every start of a query, and different for a part that works differently.
    *
    * By default the class and its fields: all fields of a case class, else the final ones. Only fields that are
    * numbers, strings, booleans, enums, durations, other parts, or sequences of these are included. Override it for a
    * part that depends on anything else, such as a function.
    */
  def spec: Spec = FieldSpecs.of(this)

  /** The parts inside this one, in the order of the arguments. */
  def children: Seq[Part] = Nil

  /** A copy with other parts inside: as many as `children`, in that order. Override it together with `children`. */
  def withChildren(children: Seq[Part]): Part =
    if (children.isEmpty) this
    else throw new UnsupportedOperationException(s"${getClass.getName} has no parts inside: override withChildren")

  /** This part and all parts inside it, outer parts first. */
  final def tree: Iterator[Part] = Iterator.single(this) ++ children.iterator.flatMap(_.tree)

  override def toString: String = spec.toString
}

object Part {

  /** Refuses a part that contains parts missing from its `children`. Such parts would not be bound to columns or
    * checked.
    *
    * @throws java.lang.IllegalArgumentException
    *   if a part inside `part` is missing from `children`
    */
  def check(part: Part): Unit = part.tree.foreach { p =>
    val held = p.spec match {
      case PartSpec(_, arguments, options, _) => (arguments ++ options).map(_._2).flatMap(specs)
      case _                                  => Nil
    }
    if (held.size > p.children.size)
      throw new IllegalArgumentException(
        s"${p.spec} holds ${held.mkString(" and ")} and does not say so: override nested and withNested in " +
          s"${p.getClass.getName}, e.g. override def nested = Seq(inner); children and withChildren if it is no trigger"
      )
  }

  private def specs(value: Spec): Seq[PartSpec] = value match {
    case part: PartSpec     => Seq(part)
    case Spec.Items(values) => values.flatMap(specs)
    case _                  => Nil
  }
}
