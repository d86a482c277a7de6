package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.functions.SideOutput
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, TimeWindow}
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.types.{
  ArrayType,
  BooleanType,
  LongType,
  Metadata,
  MetadataBuilder,
  StringType,
  StructField,
  StructType,
  TimestampType
}

/** The columns that an operator puts out: those of a result and, where there are side outputs, the tag of the output
  * that a row belongs to (null for the main one) and a struct for each of them.
  *
  * @param keys
  *   the key columns that the result shows, under its names; a constant key is not shown
  * @param late
  *   the side output of late rows
  * @param tagged
  *   those that a function writes to
  * @param pane
  *   whether a column `pane` says which firing of its window a row is
  * @param window
  *   whether there are windows
  */
final class OutputLayout(
    val keys: Seq[StructField],
    val results: StructType,
    val late: Option[SideOutput],
    val tagged: Seq[SideOutput],
    val pane: Boolean,
    val window: Boolean = true
) extends Serializable {
  import OutputLayout._

  val sides: Seq[SideOutput] = late.toSeq ++ tagged

  sides.foreach(side => checkTag(side.tag))
  sides.groupBy(_.tag).foreach { case (tag, same) =>
    if (same.size > 1) throw new IllegalArgumentException(s"two side outputs are called '$tag': give each its own tag")
  }

  /** Where the side output of that tag is among all. */
  def side(tag: String): Option[Int] = Some(sides.indexWhere(_.tag == tag)).filter(_ >= 0)

  /** The columns of the main output. A name that would stand twice is refused. */
  def main(isStreaming: Boolean): StructType = {
    val shown =
      if (window) Seq(StructField(Window, WindowType, nullable = true, windowMetadata(isStreaming))) else Nil
    val fields = keys.map(k => k.copy(nullable = true, metadata = withoutMark(k.metadata)) -> "a key") ++
      shown.map(_ -> "the window") ++ paneField.map(_ -> "the pane") ++ results.map(
        _.copy(nullable = true) -> "a result"
      )
    fields.groupBy(_._1.name).foreach {
      case (name, Seq((_, first), (_, second), _*)) =>
        throw new IllegalArgumentException(
          s"the result would have two columns '$name': $first and $second. Give one of them another name: a key or an " +
            "aggregate by .alias(..), a result of process in its schema, and what reduce, sum, min_by and the like take " +
            s"over from the input before key_by, df.withColumnRenamed(\"$name\", \"input_$name\")"
        )
      case _ => ()
    }
    StructType(fields.map(_._1))
  }

  private def paneField: Option[StructField] = if (pane) Some(StructField(Pane, PaneType)) else None

  /** All columns: the main ones, then tag and rows of the side outputs if there are any. */
  def all(isStreaming: Boolean): StructType = {
    val side = sides.map(s => StructField(s.tag, s.schema))
    StructType(main(isStreaming) ++ (if (side.isEmpty) Nil else StructField(TagColumn, StringType) +: side))
  }

  /** New attributes of the operator's node. */
  def attributes(isStreaming: Boolean): Seq[Attribute] =
    all(isStreaming).map(f => AttributeReference(f.name, f.dataType, f.nullable, f.metadata)())
}

object OutputLayout {

  /** The column that says which output a row belongs to, in the frame of all outputs. */
  val TagColumn = "output"

  /** The name of the main output in the frame of all outputs. */
  val Main = "main"

  /** The column of the window in a result. */
  val Window = "window"

  /** The column that says which firing of its window a row is. */
  val Pane = "pane"

  /** @throws java.lang.IllegalArgumentException
    *   for a tag that no side output can have: empty, or a column of the frame of all outputs
    */
  def checkTag(tag: String): Unit =
    if (tag.isEmpty || tag == Main || tag == TagColumn)
      throw new IllegalArgumentException(
        s"the tag of a side output must not be '$tag': give it a name, e.g. \"late\""
      )

  /** The side output of late rows: the columns of the input, how late the row was, which window it missed, and why.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the input has a column of such a name
    */
  def late(tag: String, row: Seq[Attribute]): SideOutput = {
    row.map(_.name).find(LateFacts.fieldNames.contains).foreach { name =>
      throw new IllegalArgumentException(
        s"the late side output '$tag' adds a column '$name', and the input has one of that name: rename it first, " +
          s"df.withColumnRenamed(\"$name\", \"input_$name\")"
      )
    }
    SideOutput(
      tag,
      StructType(row.map(a => StructField(a.name, a.dataType, nullable = true, withoutMark(a.metadata))) ++ LateFacts)
    )
  }

  /** A window as Spark writes one: start and end, the end exclusive; null for the global window. */
  val WindowType: StructType = StructType(Seq(StructField("start", TimestampType), StructField("end", TimestampType)))

  /** Which firing of its window a row is. */
  val PaneType: StructType = StructType(
    Seq(
      StructField("timing", StringType),
      StructField("index", LongType),
      StructField("is_last", BooleanType),
      StructField("fired_at", TimestampType),
      StructField("replaced", ArrayType(WindowType, containsNull = false))
    )
  )

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
