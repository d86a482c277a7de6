package dev.sparkwindowing.spark.sources

import dev.sparkwindowing.declaration.ElementNames
import dev.sparkwindowing.spark.advice.Face
import dev.sparkwindowing.windows.Millis
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Union}
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability}
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.connector.read.{Scan, ScanBuilder}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{SparkSession, SparkWindowingBridge}

import java.util.{EnumSet, Set => JavaSet}

/** Purpose of the micro-batches that a source without rows makes. */
private[sparkwindowing] sealed trait Ticks {

  /** A new source for one run of a query. */
  def stream(face: Face): TickStream
}

private[sparkwindowing] object Ticks {

  /** Timers of processing time, `millis` apart. */
  final case class OfClock(millis: Long) extends Ticks {
    def stream(face: Face): TickStream = new ClockTicks(this, face)
    override def toString: String      = s"clock without rows, every ${Millis.show(millis)}"
  }

  /** The watermark of an input that is quiet. */
  final case class OfQuietInput(timeout: Long, delay: Long, boundedByClock: Boolean) extends Ticks {
    def stream(face: Face): TickStream = new QuietInputTicks(this, face)
    override def toString: String      = {
      val bound = if (boundedByClock) "" else ", not bounded by the clock"
      s"watermark without rows, of an input idle for ${Millis.show(timeout)}$bound"
    }
  }
}

/** A streaming source without rows, with the columns of an input. */
private[sparkwindowing] object TickSource {

  /** The rows of a stream, and the ticks as one more source, the last one of the input. */
  def add(session: SparkSession, input: LogicalPlan, ticks: Ticks): LogicalPlan = {
    val columns = input.output.map(a => AttributeReference(a.name, a.dataType, a.nullable, a.metadata)())
    val table   = new TickTable(ticks, input.schema, Face.inUse)
    Union(Seq(input, relation(session, table, columns)))
  }

  /** True for the node of such a source in a query that has not started. */
  def isOne(plan: LogicalPlan): Boolean = plan match {
    case r: StreamingRelationV2 => r.table.isInstanceOf[TickTable]
    case _                      => false
  }

  // The node that Spark makes for its own sources; its parameters differ between versions of Spark.
  private def relation(session: SparkSession, table: TickTable, columns: Seq[AttributeReference]): LogicalPlan = {
    val rate   = SparkWindowingBridge.analyzedPlan(session.readStream.format("rate").load())
    val values = ElementNames.of(rate).zip(rate.productIterator).map {
      case ("source", _)       => None
      case ("sourceName", _)   => table.name
      case ("table", _)        => table
      case ("extraOptions", _) => CaseInsensitiveStringMap.empty
      case ("output", _)       => columns
      case (_, same)           => same
    }
    rate.makeCopy(values.map(_.asInstanceOf[AnyRef]).toArray)
  }
}

private final class TickTable(ticks: Ticks, columns: StructType, face: Face) extends Table with SupportsRead {
  override def name: String                           = ticks.toString
  override def schema: StructType                     = columns
  override def capabilities: JavaSet[TableCapability] = EnumSet.of(TableCapability.MICRO_BATCH_READ)
  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = () =>
    new Scan {
      override def readSchema: StructType                                           = columns
      override def description: String                                              = ticks.toString
      override def toMicroBatchStream(checkpointLocation: String): MicroBatchStream = ticks.stream(face)
    }
}
