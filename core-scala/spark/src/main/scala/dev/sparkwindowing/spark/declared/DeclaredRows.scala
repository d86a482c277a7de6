package dev.sparkwindowing.spark.declared

import dev.sparkwindowing.spark.plan.{KeyedInput, MissingTime}
import org.apache.spark.sql.Column

/** Keyed rows of a declaration. */
private[sparkwindowing] sealed trait DeclaredRows[+F] {
  def map[G](frame: F => G): DeclaredRows[G]
}

private[sparkwindowing] object DeclaredRows {

  /** Rows of one DataFrame.
    *
    * @param keys
    *   none for one constant key, which a result does not show
    * @param time
    *   the event time; None for the column that has a watermark
    * @param history
    *   rows as if they stood before a stream, and whether windows that they complete are results
    * @param retracts
    *   whether a row takes back an earlier equal one; None if no row does
    */
  final case class Keyed[+F](
      frame: F,
      keys: Seq[Column],
      time: Option[Column] = None,
      onMissingTime: MissingTime = MissingTime.Late,
      history: Option[(F, Boolean)] = None,
      retracts: Option[Column] = None
  ) extends DeclaredRows[F] {
    def map[G](f: F => G): Keyed[G] =
      copy(frame = f(frame), history = history.map { case (rows, emits) => f(rows) -> emits })
  }

  /** Rows of several inputs, by name, as one: those of a join or a co-group. */
  final case class Together[+F](inputs: Seq[(String, DeclaredRows[F])]) extends DeclaredRows[F] {
    def map[G](f: F => G): Together[G] = Together(inputs.map { case (name, rows) => name -> rows.map(f) })
  }

  /** Rows that an earlier step of the same declaration has resolved. */
  final case class Resolved(input: KeyedInput) extends DeclaredRows[Nothing] {
    def map[G](f: Nothing => G): Resolved = this
  }
}
