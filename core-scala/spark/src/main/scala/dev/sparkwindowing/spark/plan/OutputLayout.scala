package dev.sparkwindowing.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, TimeWindow}
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.types.{
  LongType,
  Metadata,
  MetadataBuilder,
  StringType,
  StructField,
  StructType,
  TimestampType
}

/** The columns that the operator puts out: those of a result and, with a late side output, the tag of the output that
  * the row belongs to (null for the main one) and the late row as a struct.
  *
  * @param keys
  *   the key columns that the result shows, under its names; a constant key is not shown
  * @param lateTag
  *   the tag of the late side output
  * @param row
  *   the columns of the incoming rows, for the late ones
  */
final class OutputLayout(
    val keys: Seq[StructField],
    val results: StructType,
    val lateTag: Option[String],
    val row: StructType
) extends Serializable {
  import OutputLayout._

  /** The columns of the late side output: those of the input, how late the row was, which window it missed, and why. */
  val late: Option[StructType] = lateTag.map { tag =>
    row.fieldNames.find(LateFacts.fieldNames.contains).foreach { name =>
      throw new IllegalArgumentException(
        s"the late side output '$tag' adds a column '$name', and the input has one of that name: rename it first, " +
          s"df.withColumnRenamed(\"$name\", \"input_$name\")"
      )
    }
    StructType(row.map(f => f.copy(nullable = true, metadata = withoutMark(f.metadata))) ++ LateFacts)
  }

  /** The columns of the main output. A name that would stand twice is refused. */
  def main(isStreaming: Boolean): StructType = {
    val window = StructField("window", WindowType, nullable = true, windowMetadata(isStreaming))
    val fields = keys.map(k => k.copy(nullable = true, metadata = withoutMark(k.metadata)) -> "a key") ++
      Seq(window -> "the window") ++ results.map(_.copy(nullable = true) -> "a result")
    fields.groupBy(_._1.name).foreach {
      case (name, Seq((_, first), (_, second), _*)) =>
        throw new IllegalArgumentException(
          s"the result would have two columns '$name': $first and $second. Give one of them another name with .alias(..)"
        )
      case _ => ()
    }
    StructType(fields.map(_._1))
  }

  /** New attributes of the operator's node: the main columns, then tag and late row if there is a late side output. */
  def attributes(isStreaming: Boolean): Seq[Attribute] = {
    val columns = main(isStreaming).map(f => AttributeReference(f.name, f.dataType, f.nullable, f.metadata)())
    val side    = late.toSeq.flatMap { schema =>
      Seq(AttributeReference("output", StringType)(), AttributeReference("late", schema)())
    }
    columns ++ side
  }
}

object OutputLayout {

  /** A window as Spark writes one: start and end, the end exclusive; null for the global window. */
  val WindowType: StructType = StructType(Seq(StructField("start", TimestampType), StructField("end", TimestampType)))

  /** What a late row carries beside itself. */
  val LateFacts: StructType = StructType(
    Seq(
      StructField("late_by_ms", LongType),
      StructField("missed_window", WindowType),
      StructField("late_reason", StringType)
    )
  )

  // With Spark's own marks, so that F.window_time and F.window("window", ..) work on it, and on a stream the next
  // operator takes its end as event time.
  private def windowMetadata(isStreaming: Boolean): Metadata = {
    val builder = new MetadataBuilder().putBoolean(TimeWindow.marker, true)
    if (isStreaming) builder.putLong(EventTimeWatermark.delayKey, 0L)
    builder.build()
  }

  private def withoutMark(metadata: Metadata): Metadata =
    new MetadataBuilder()
      .withMetadata(metadata)
      .remove(EventTimeWatermark.delayKey)
      .remove(TimeWindow.marker)
      .remove(EventTimeColumn.EventTimeMark)
      .build()
}
