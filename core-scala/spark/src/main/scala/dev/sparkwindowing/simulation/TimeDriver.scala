package dev.sparkwindowing.simulation

import dev.sparkwindowing.simulation.SimulationEvent._
import dev.sparkwindowing.spark.advice.{Code, Face}
import dev.sparkwindowing.watermarks.{IngestionTime, WatermarkGenerator, WatermarkInputs, WatermarkStrategy}

/** Effect of a step on the operator. */
private[simulation] sealed trait Move extends Product with Serializable

private[simulation] object Move {

  /** The operator takes the rows of a micro-batch, by their numbers. */
  final case class Take(rows: Seq[Int]) extends Move

  /** Time advances, and due timers fire: event-time timers, then processing-time timers. */
  final case class Advance(watermark: Option[Long], processingTime: Option[Long]) extends Move
}

/** Derives rows, watermarks and processing time from the steps. */
private[simulation] trait TimeDriver {

  /** @throws java.lang.IllegalArgumentException if the step is not allowed here */
  def moves(event: SimulationEvent, step: Int): Seq[Move]

  /** Inputs that are idle now. */
  def idleInputs: Seq[Int]

  /** Of several inputs those that the watermark waits for. */
  def slowestInputs: Seq[Int]
}

/** Steps that set watermark and processing time themselves. In a batch both advance before its first row. */
private[simulation] object PlainCourse extends TimeDriver {
  import Move._

  def idleInputs: Seq[Int]    = Nil
  def slowestInputs: Seq[Int] = Nil

  def moves(event: SimulationEvent, step: Int): Seq[Move] = event match {
    case Element(row, 0)                => Seq(Take(Seq(row)))
    case Element(_, input)              => refuse(step, s"element(.., input=$input)")
    case Watermark(time)                => Seq(Advance(Some(time), None))
    case ProcessingTime(time)           => Seq(Advance(None, Some(time)))
    case Probe(_) | Idle(_) | Active(_) => refuse(step, event.name)
    case End                            => Seq(Advance(Some(Long.MaxValue), None))
    case SnapshotRestore                => Nil
    case Batch(events)                  =>
      val inner          = events.flatMap(moves(_, step))
      val rows           = Take(inner.collect { case Take(rows) => rows }.flatten)
      val advances       = inner.collect { case a: Advance => a }
      val watermark      = advances.flatMap(_.watermark).reduceOption(_ max _)
      val processingTime = advances.flatMap(_.processingTime).lastOption
      if (watermark.isEmpty && processingTime.isEmpty) Seq(rows) else Seq(Advance(watermark, processingTime), rows)
  }

  private def refuse(step: Int, what: String): Nothing = throw new IllegalArgumentException(
    s"step $step, $what: only a simulation with a strategy has inputs to probe, " +
      Code {
        case Face.Scala => "simulate(result, watermarks, steps)"
        case _          => "simulate(result, steps, watermarks=..)"
      }
  )
}

/** Watermarks from the generators of a strategy, one per input, combined by the valve.
  *
  * @param times
  *   the event time of each row, `Long.MinValue` for none; for ingestion time, written here
  * @param proofs
  *   the watermark that each row carries, for a strategy with a user's generator
  */
private[simulation] final class StrategyTimeDriver(
    strategy: WatermarkStrategy,
    inputs: Int,
    times: Array[Long],
    proofs: Int => Option[Long]
) extends TimeDriver {
  import Move._

  private[this] var processingTime = Long.MinValue
  private[this] val watermarks     = new WatermarkInputs[Int](Vector.fill(inputs)(generator))
  private[this] var watermark      = Long.MinValue

  private[this] def generator: WatermarkGenerator[Int] =
    strategy.generator((row, _) => proofs(row), () => processingTime)

  def idleInputs: Seq[Int]    = watermarks.idleInputs
  def slowestInputs: Seq[Int] = if (inputs > 1) watermarks.slowest else Nil

  def moves(event: SimulationEvent, step: Int): Seq[Move] = event match {
    case e: Element =>
      val taken = Take(Seq(take(e, step)))
      // After the element, as in Flink: its watermark does not apply to itself.
      watermarks.element(e.input, e.row, times(e.row))
      taken +: advance()
    case ProcessingTime(time) => Seq(move(time))
    case Probe(time)          =>
      processingTime = time
      watermarks.probe()
      Seq(Advance(risen(), Some(time)))
    case Idle(input) =>
      watermarks.idle(input)
      advance()
    case Active(input) =>
      watermarks.active(input)
      Nil
    case End =>
      watermarks.end()
      advance()
    case SnapshotRestore => Nil
    case Watermark(_)    =>
      throw new IllegalArgumentException(
        s"step $step, watermark: the strategy makes the watermarks of this run. Take the step or ${Code.named("watermarks", "..")} away"
      )
    case Batch(events) =>
      val moved    = events.collect { case ProcessingTime(time) => time }.lastOption.map(move).toSeq
      val elements = events.collect { case e: Element => e }
      events.foreach { case w: Watermark => moves(w, step); case _ => () }
      if (strategy.idleTimeout.isDefined) requireProcessingTime(step, "batch")
      val taken = Take(elements.map(take(_, step)))
      elements.foreach(e => watermarks.element(e.input, e.row, times(e.row)))
      watermarks.probe()
      (moved :+ taken) ++ advance()
  }

  private[this] def move(time: Long): Move = {
    processingTime = time
    Advance(None, Some(time))
  }

  private[this] def take(e: Element, step: Int): Int = {
    if (strategy.needsProcessingTime) requireProcessingTime(step, "element")
    if (strategy.isIngestionTime) times(e.row) = IngestionTime.stamp(processingTime, watermark)
    e.row
  }

  private[this] def requireProcessingTime(step: Int, what: String): Unit =
    if (processingTime == Long.MinValue)
      throw new IllegalArgumentException(
        s"step $step, $what: $strategy reads processing time, and it has not been set: begin with sim.processing_time(..)"
      )

  private[this] def advance(): Seq[Move] = risen().map(w => Advance(Some(w), None)).toSeq

  private[this] def risen(): Option[Long] =
    if (watermarks.watermark == watermark) None
    else {
      watermark = watermarks.watermark
      Some(watermark)
    }
}
