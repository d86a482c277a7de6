package dev.sparkwindowing.simulation

import dev.sparkwindowing.simulation.SimulationEvent._
import org.apache.spark.sql.types.{DoubleType, IntegerType, LongType, StructField, StructType, TimestampType}
import org.apache.spark.sql.{DataFrame, Row, SparkSession}

import java.sql.Timestamp
import scala.jdk.CollectionConverters._

/** Step of a simulation: a row that arrives, or a move of time. Times are milliseconds since the epoch. */
sealed trait SimulationStep extends Product with Serializable

object SimulationStep {
  private[simulation] final case class Arrival(values: Seq[Any], input: Int)  extends SimulationStep
  private[simulation] final case class Happening(event: SimulationEvent)      extends SimulationStep
  private[simulation] final case class MicroBatch(steps: Seq[SimulationStep]) extends SimulationStep

  /** A row arrives.
    *
    * @param values
    *   one for each column of the DataFrame given to `keyBy`, in its order, as a `Row` holds it; a TIMESTAMP also as
    *   milliseconds since the epoch
    */
  def element(values: Any*): SimulationStep = Arrival(values, 0)

  /** A row of an input arrives.
    *
    * @param input
    *   number of the input of a join or co-group, or of a strategy that generates watermarks
    */
  def elementOf(input: Int)(values: Any*): SimulationStep = Arrival(values, input)

  /** The watermark rises to `time`. Only without a strategy. */
  def watermark(time: Long): SimulationStep = Happening(Watermark(time))

  /** Processing time moves to `time`. */
  def processingTime(time: Long): SimulationStep = Happening(ProcessingTime(time))

  /** Processing time moves to `time`, and the strategy looks at every input, as at the end of a micro-batch. */
  def probe(time: Long): SimulationStep = Happening(Probe(time))

  /** An input becomes idle. Only with a strategy. */
  def idle(input: Int): SimulationStep = Happening(Idle(input))

  /** An input is active again. Only with a strategy. */
  def active(input: Int): SimulationStep = Happening(Active(input))

  /** The state is written and read again, as at a restart. */
  def snapshotRestore(): SimulationStep = Happening(SnapshotRestore)

  /** All inputs end: the watermark passes all timers. */
  def end(): SimulationStep = Happening(End)

  /** Several steps in one micro-batch: elements, watermarks and processing times. */
  def batch(steps: SimulationStep*): SimulationStep = MicroBatch(steps)

  /** The events of steps; their elements are numbered in order.
    *
    * @param hasInputs
    *   whether the inputs of elements have watermarks of their own. Otherwise that of a join or co-group only says what
    *   a row is
    */
  private[sparkwindowing] def events(steps: Seq[SimulationStep], hasInputs: Boolean): IndexedSeq[SimulationEvent] = {
    val numbers                                      = Iterator.from(0)
    def event(step: SimulationStep): SimulationEvent = step match {
      case Arrival(_, input)  => Element(numbers.next(), if (hasInputs) input else 0)
      case Happening(event)   => event
      case MicroBatch(inside) => Batch(inside.map(event).map(SimulationEvent.checkedInBatch))
    }
    steps.map(event).toIndexedSeq
  }

  /** The rows of the steps, with the columns of the DataFrame given to `keyBy`.
    *
    * @throws java.lang.IllegalArgumentException
    *   if an element has another number of values than its input has columns, or is of an input that there is not
    */
  private[sparkwindowing] def elements(result: DataFrame, steps: Seq[SimulationStep]): DataFrame = {
    val spark    = result.sparkSession
    val arrivals = steps.flatMap(arrivalsIn)
    val inputs   = Simulation.inputSchemas(result).map(_._2)
    if (inputs.isEmpty) {
      val schema = Simulation.inputSchema(result)
      frame(spark, schema, arrivals.map(a => row(a.values, schema)))
    } else {
      arrivals.foreach { a =>
        if (!inputs.indices.contains(a.input))
          throw new IllegalArgumentException(
            s"an element is of input ${a.input}, and there are the inputs 0 to ${inputs.size - 1}"
          )
      }
      val frames = inputs.zipWithIndex.map { case (schema, input) =>
        val numbered = arrivals.zipWithIndex.collect { case (Arrival(values, `input`), number) =>
          Row.fromSeq(number +: row(values, schema).toSeq)
        }
        frame(spark, StructType(StructField("number", IntegerType) +: schema), numbered)
      }
      Simulation.united(result, frames)
    }
  }

  private def arrivalsIn(step: SimulationStep): Seq[Arrival] = step match {
    case arrival: Arrival   => Seq(arrival)
    case MicroBatch(inside) => inside.flatMap(arrivalsIn)
    case Happening(_)       => Nil
  }

  private def frame(spark: SparkSession, schema: StructType, rows: Seq[Row]): DataFrame =
    spark.createDataFrame(rows.asJava, schema)

  private def row(values: Seq[Any], schema: StructType): Row = {
    if (values.size != schema.size)
      throw new IllegalArgumentException(
        s"an element has ${values.size} values, and its input the ${schema.size} columns " +
          s"${schema.fieldNames.mkString(", ")}: give one value for each, null for none"
      )
    Row.fromSeq(values.zip(schema.map(_.dataType)).map {
      case (millis: Long, TimestampType) => new Timestamp(millis)
      case (millis: Int, TimestampType)  => new Timestamp(millis.toLong)
      case (number: Int, LongType)       => number.toLong
      case (number: Int, DoubleType)     => number.toDouble
      case (value, _)                    => value
    })
  }
}
