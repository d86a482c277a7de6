package dev.sparkwindowing.spark.declared

import dev.sparkwindowing.spark.plan.MissingTime
import org.apache.spark.sql.Column

/** Keyed rows of a declaration. */
private[sparkwindowing] sealed trait DeclaredRows[+F] {

  /** Values that stand for the DataFrames, in order. */
  def frames: Seq[F]

  def map[G](frame: F => G): DeclaredRows[G]

  /** The same rows with another event time. */
  def withTime(time: Column): DeclaredRows[F]

  def withMissingTime(action: MissingTime): DeclaredRows[F]
}

private[sparkwindowing] object DeclaredRows {

  /** Rows of one DataFrame.
    *
    * @param keys
    *   none for one constant key, which a result does not show
    * @param time
    *   the event time; None for the column that has a watermark
    */
  final case class Keyed[+F](
      frame: F,
      keys: Seq[Column],
      time: Option[Column] = None,
      onMissingTime: MissingTime = MissingTime.Late
  ) extends DeclaredRows[F] {
    def frames: Seq[F]                                        = Seq(frame)
    def map[G](f: F => G): Keyed[G]                           = copy(frame = f(frame))
    def withTime(time: Column): Keyed[F]                      = copy(time = Some(time))
    def withMissingTime(action: MissingTime): DeclaredRows[F] = copy(onMissingTime = action)
  }

  /** Rows of several inputs, by name, as one: those of a join or a co-group.
    *
    * @param time
    *   the event time, over the columns of the union; None for that of the inputs
    * @param onMissingTime
    *   None for that of the first input
    */
  final case class Together[+F](
      inputs: Seq[(String, DeclaredRows[F])],
      time: Option[Column] = None,
      onMissingTime: Option[MissingTime] = None
  ) extends DeclaredRows[F] {
    def frames: Seq[F]                      = inputs.flatMap(_._2.frames)
    def map[G](f: F => G): Together[G]      = copy(inputs = inputs.map { case (name, rows) => name -> rows.map(f) })
    def withTime(time: Column): Together[F] = copy(time = Some(time))
    def withMissingTime(action: MissingTime): DeclaredRows[F] = copy(onMissingTime = Some(action))
  }
}
