package dev.sparkwindowing.conformance

/** Parts of a number of cases.
  *
  * @param cases
  *   how many cases had a part
  * @param fired
  *   how many of these fired
  * @param kinds
  *   the combinations of parts, without their numbers
  */
final case class Summary(cases: Map[String, Int], fired: Map[String, Int], kinds: Set[Seq[String]], tally: Tally) {

  def +(other: Summary): Summary = Summary(
    Summary.sum(cases, other.cases),
    Summary.sum(fired, other.fired),
    kinds ++ other.kinds,
    tally + other.tally
  )

  /** A line for each sort of part: how many cases ran with each. */
  def lines: Seq[String] = Seq("assigner", "trigger", "evictor", "contents", "lateness", "late elements").map { sort =>
    val counts = cases.toSeq.collect { case (part, n) if isOf(part, sort) => (part.drop(sort.length + 1), n) }
    s"$sort: ${counts.sortBy { case (part, n) => (-n, part) }.map { case (part, n) => s"$part $n" }.mkString(", ")}"
  }

  private def isOf(part: String, sort: String): Boolean =
    part.startsWith(sort + " ")
}

object Summary {
  val empty: Summary = Summary(Map.empty, Map.empty, Set.empty, Tally())

  def of(setup: Setup, tally: Tally): Summary = {
    val once = setup.parts.map(_ -> 1).toMap
    Summary(once, if (tally.firings > 0) once else Map.empty, Set(setup.kinds), tally)
  }

  private def sum(a: Map[String, Int], b: Map[String, Int]): Map[String, Int] =
    b.foldLeft(a) { case (all, (part, n)) => all.updated(part, all.getOrElse(part, 0) + n) }
}
