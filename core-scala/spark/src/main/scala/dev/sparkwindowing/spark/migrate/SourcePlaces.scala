package dev.sparkwindowing.spark.migrate

import dev.sparkwindowing.spark.advice.{Code, Face}
import dev.sparkwindowing.spark.checkpoint.BatchLogs
import dev.sparkwindowing.spark.sources.{TickOffset, TickSource}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** The offset that each source of a query has in a checkpoint of another one. */
private[migrate] object SourcePlaces {

  /** @param offsets
    *   one for each source of the checkpoint
    * @param sources
    *   those of the query
    * @param said
    *   what the user says of each of them
    * @return
    *   for each of them its number in the checkpoint, None if it is new
    * @throws java.lang.IllegalArgumentException
    *   if it cannot be told, or what the user says is wrong
    */
  def of(offsets: Seq[String], sources: Seq[LogicalPlan], said: Option[Seq[Option[Int]]]): Seq[Option[Int]] =
    said.fold(told(offsets, sources))(checked(offsets, sources, _))

  private def checked(
      offsets: Seq[String],
      sources: Seq[LogicalPlan],
      said: Seq[Option[Int]]
  ): Seq[Option[Int]] = {
    val numbers = said.flatten
    if (said.size != sources.size || numbers.distinct.size != numbers.size || !numbers.forall(offsets.indices.contains))
      throw new IllegalArgumentException(
        s"${Code.name("sources")} must say for each source of the query which one of the checkpoint it is, each at most " +
          s"once: got ${shown(said)}. ${texts(offsets, sources)}"
      )
    sources.zip(said).foreach {
      case (source, Some(n)) if offsets(n) != BatchLogs.NoOffset && isTick(offsets(n)) != TickSource.isOne(source) =>
        throw new IllegalArgumentException(
          s"${Code.name("sources")} gives a source the offset of another kind, ${offsets(n)}. ${texts(offsets, sources)}"
        )
      case _ => ()
    }
    said
  }

  private def isTick(offset: String) = TickOffset.isOne(offset)

  // Ticks follow the source whose rows they are for. If those of one are as many as they were, or all are new, they can
  // be told.
  private def told(offsets: Seq[String], sources: Seq[LogicalPlan]): Seq[Option[Int]] = {
    val old     = groups(offsets.indices)(i => isTick(offsets(i)))
    val now     = groups(sources)(TickSource.isOne)
    val isKnown = !offsets.contains(BatchLogs.NoOffset) || offsets.size == sources.size
    val fits    = old.size == now.size && old.zip(now).forall { case (was, is) =>
      was.size == is.size || was.size == 1 || is.size == 1
    }
    if (offsets.size == sources.size && fits && old.map(_.size) == now.map(_.size)) offsets.indices.map(Option(_))
    else if (isKnown && fits)
      old.zip(now).flatMap { case (was, is) => is.indices.map(i => was.lift(i)) }
    else
      throw new IllegalArgumentException(
        "which source of the query is which one of the checkpoint cannot be told: say for each of the query, in order, its " +
          s"number in the checkpoint, or that it is new: $example. ${texts(offsets, sources)}"
      )
  }

  // A source with the ticks behind it.
  private def groups[A](all: Seq[A])(isTick: A => Boolean): Seq[Seq[A]] =
    all.foldLeft(Vector.empty[Vector[A]]) { (made, one) =>
      if (isTick(one) && made.nonEmpty) made.init :+ (made.last :+ one) else made :+ Vector(one)
    }

  private def example: String = s"${Code.named("sources", shown(Seq(Some(0), None)))}"

  private def shown(places: Seq[Option[Int]]): String = Face.inUse match {
    case Face.Scala => places.mkString("Some(Seq(", ", ", "))")
    case _          => places.map(_.fold("None")(_.toString)).mkString("[", ", ", "]")
  }

  private def texts(offsets: Seq[String], sources: Seq[LogicalPlan]): String = {
    def listed(all: Seq[String]) = all.zipWithIndex.map { case (text, i) => s"$i: ${text.take(Most)}" }.mkString("; ")
    s"The query has ${listed(sources.map(_.simpleString(Most)))}. The checkpoint has ${listed(offsets)}"
  }

  private val Most = 100
}
