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

  /** The class that says which parts are inside, for errors: of a user's part, the class that the user wrote. */
  private[sparkwindowing] def writtenAs: Class[_] = getClass

  /** The line that says so for one part inside, in Scala and in Java. */
  private[sparkwindowing] def insideLine: InsideLine = InsideLine(
    "children and withChildren",
    "override def children: Seq[Part] = Seq(inner)",
    "public Seq<Part> children() { return CollectionConverters.<Part>asScala(List.of(inner)).toSeq(); }"
  )

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
        s"${p.spec} holds ${held.mkString(" and ")} and does not say so: override ${p.insideLine.methods} in " +
          s"${p.writtenAs.getName}, such as ${p.insideLine.of(p.writtenAs)}"
      )
  }

  private def specs(value: Spec): Seq[PartSpec] = value match {
    case part: PartSpec     => Seq(part)
    case Spec.Items(values) => values.flatMap(specs)
    case _                  => Nil
  }
}

/** Line with which a class says which parts it holds.
  *
  * @param methods
  *   names of the methods to override
  */
private[sparkwindowing] final case class InsideLine(methods: String, scala: String, java: String) {

  /** The line in the language of a class. */
  def of(c: Class[_]): String = if (InsideLine.isScala(c)) scala else java
}

private[sparkwindowing] object InsideLine {

  // The Scala compiler marks the outermost classes.
  private def isScala(c: Class[_]): Boolean = {
    val outermost = Iterator.iterate[Class[_]](c)(_.getEnclosingClass).takeWhile(_ != null).toSeq.last
    outermost.getAnnotations.exists(_.annotationType.getName.startsWith("scala.reflect.Scala"))
  }
}
