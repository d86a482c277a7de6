package dev.sparkwindowing.declaration

/** Difference between two declarations at one place of their trees.
  *
  * @param path
  *   names of the arguments from the root to that place
  * @param before
  *   None if the argument is new
  * @param after
  *   None if the argument was removed
  * @param isFree
  *   whether the value is one that may change
  */
final case class Difference(path: Seq[String], before: Option[Spec], after: Option[Spec], isFree: Boolean = false) {

  /** Text such as `trigger.maxCount: was 3, is 5`. */
  override def toString: String = s"${path.mkString(".")}: was ${shown(before)}, is ${shown(after)}"

  /** True for a duration that may grow and did not become shorter. */
  def isGrowth: Boolean = (before, after) match {
    case (Some(Spec.Duration(was)), Some(now @ Spec.Duration(is))) => now.mayGrow && is >= was
    case _                                                         => false
  }

  private def shown(spec: Option[Spec]): String = spec.fold("not there")(_.toString)
}

object Difference {

  /** Innermost differences of the trees, in order; empty if they are equal. */
  def between(before: Spec, after: Spec): Seq[Difference] = between(Nil, Some(before), Some(after))

  private def between(path: Seq[String], before: Option[Spec], after: Option[Spec]): Seq[Difference] =
    (before, after) match {
      case (was, is) if was == is                 => Nil
      case (Some(Spec.Free(was, _)), _)           => between(path, Some(was), after)
      case (before, Some(Spec.Free(is, default))) =>
        val was = before.orElse(default)
        between(path, was, Some(is)).map(_.copy(isFree = was.isDefined))
      case (Some(was: PartSpec), Some(is: PartSpec)) if was.name == is.name => ofFields(path, fields(was), fields(is))
      case (Some(Spec.Items(was)), Some(Spec.Items(is))) if path.nonEmpty   =>
        ofFields(path, numbered(was), numbered(is))
      case _ => Seq(Difference(path, before, after))
    }

  private def ofFields(path: Seq[String], before: Seq[(String, Spec)], after: Seq[(String, Spec)]): Seq[Difference] = {
    val (was, is) = (before.toMap, after.toMap)
    (before ++ after).map(_._1).distinct.flatMap(name => between(path :+ name, was.get(name), is.get(name)))
  }

  private def fields(part: PartSpec): Seq[(String, Spec)] = part.arguments ++ part.options

  private def numbered(values: Seq[Spec]): Seq[(String, Spec)] =
    values.zipWithIndex.map { case (value, i) => (i + 1).toString -> value }
}
