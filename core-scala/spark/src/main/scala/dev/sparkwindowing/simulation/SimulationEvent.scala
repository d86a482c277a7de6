package dev.sparkwindowing.simulation

/** Event in one step of a simulation.
  *
  * @param name
  *   its kind, as callers without Scala name it
  */
private[sparkwindowing] sealed abstract class SimulationEvent(val name: String) extends Product with Serializable

private[sparkwindowing] object SimulationEvent {

  /** A row of an input, by its number among the elements. */
  final case class Element(row: Int, input: Int) extends SimulationEvent("element")
  final case class Watermark(time: Long)         extends SimulationEvent("watermark")
  final case class ProcessingTime(time: Long)    extends SimulationEvent("processing_time")

  /** Sets processing time and probes every input. */
  final case class Probe(time: Long)  extends SimulationEvent("probe")
  final case class Idle(input: Int)   extends SimulationEvent("idle")
  final case class Active(input: Int) extends SimulationEvent("active")
  case object SnapshotRestore         extends SimulationEvent("snapshot_restore")

  /** The end of input: no further row comes. */
  case object End                                      extends SimulationEvent("end")
  final case class Batch(events: Seq[SimulationEvent]) extends SimulationEvent("batch")

  /** Reads steps as callers without Scala pass them: a kind and a number each; an element also has an input. The number
    * of a batch counts the following events that belong to it.
    */
  def read(kinds: Seq[String], values: Seq[Long], inputs: Seq[Int]): IndexedSeq[SimulationEvent] = {
    val flat  = kinds.indices.map(i => (kinds(i), values(i), inputs(i)))
    val steps = IndexedSeq.newBuilder[SimulationEvent]
    var i     = 0
    while (i < flat.size) {
      flat(i) match {
        case ("batch", size, _) =>
          steps += Batch(flat.slice(i + 1, i + 1 + size.toInt).map((single _).tupled).map(checkedInBatch))
          i += size.toInt
        case (kind, value, input) => steps += single(kind, value, input)
      }
      i += 1
    }
    steps.result()
  }

  private[simulation] def checkedInBatch(event: SimulationEvent): SimulationEvent = event match {
    case _: Element | _: Watermark | _: ProcessingTime => event
    case other                                         =>
      throw new IllegalArgumentException(s"a batch holds elements, watermarks and processing times, got $other")
  }

  private def single(kind: String, value: Long, input: Int): SimulationEvent = kind match {
    case "element"          => Element(value.toInt, input)
    case "watermark"        => Watermark(value)
    case "processing_time"  => ProcessingTime(value)
    case "probe"            => Probe(value)
    case "idle"             => Idle(value.toInt)
    case "active"           => Active(value.toInt)
    case "end"              => End
    case "snapshot_restore" => SnapshotRestore
    case other              => throw new IllegalArgumentException(s"a step of a simulation cannot be '$other'")
  }
}
