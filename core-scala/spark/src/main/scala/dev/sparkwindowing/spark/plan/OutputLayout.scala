package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.functions.SideOutput
import dev.sparkwindowing.spark.advice.{Code, Face}
import dev.sparkwindowing.spark.rows.{EventTimeType, RowView}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.types.{ArrayType, BooleanType, LongType, StringType, StructField, StructType, TimestampType}

import java.util.Locale

/** Output columns of an operator: those of a result and, if there are side outputs, the tag of the row's output (null
  * for the main one) and a struct for each side output.
  *
  * @param keys
  *   the key columns that the result shows, under its names; a constant key is not shown
  * @param late
  *   the side output of late rows
  * @param tagged
  *   the side outputs of the function
  * @param pane
  *   whether there is a column `pane`, which tells the firings of a window apart
  * @param time
  *   the column with the time of a result
  * @param row
  *   the columns of the element of an over window, if there is a column `row` with it
  * @param times
  *   the type of the input's event time
  * @param changelog
  *   how a result says what it changes, if there are columns `op` and `sequence`
  * @param showsEmpty
  *   whether the pane says which windows have no rows
  * @param named
  *   whether there is a column `window_name`, with the name of the windows that a result is of
  */
final class OutputLayout(
    val keys: Seq[StructField],
    val results: StructType,
    val late: Option[SideOutput],
    val tagged: Seq[SideOutput],
    val pane: Boolean,
    val time: ResultTime = ResultTime.EndOfWindow,
    val row: Option[StructType] = None,
    val times: EventTimeType = EventTimeType.Instant,
    val changelog: Option[Changelog] = None,
    val showsEmpty: Boolean = false,
    val named: Boolean = false
) extends Serializable {
  import OutputLayout._

  val sides: Seq[SideOutput] = late.toSeq ++ tagged

  sides.foreach(side => checkTag(side.tag))
  checkNames()

  private def renamed(column: String) = Code {
    case Face.Sql => "AS .."
    case face     =>
      s"${if (face == Face.Python) ".alias(..)" else ".as(..)"}, a result of process in its schema, and what reduce, sum, " +
        s"${Code.name("min_by")} and the like take over from the input before ${Code.keyBy}, ${OutputLayout.renamed(column)}"
  }

  // Spark treats these names as equal under its case setting, so they cannot both be columns.
  private def checkNames(): Unit = {
    val shown = keys.map(_.name -> "a key") ++ time.column(times, isStreaming = false).map(_.name -> timeText) ++
      nameField.map(_.name -> "the name of the windows") ++ (if (pane) Seq(Pane -> "the pane") else Nil) ++ row.map(_ =>
        Row -> "the row"
      ) ++ results.map(
        _.name -> "a result"
      ) ++ changes.map(f => f.name -> s"the ${f.name} of the change stream")
    OutputNames.twice(shown)(_._1).foreach { case ((name, first), (other, second)) =>
      throw new IllegalArgumentException(
        s"the result would have two columns '$name'${OutputNames.also(name, other)}: $first and $second. Give one of them " +
          s"another name: a key or an aggregate by ${renamed(other)}"
      )
    }
    OutputNames.twice(sides)(_.tag).foreach { case (first, other) =>
      throw new IllegalArgumentException(
        s"two side outputs are called '${first.tag}'${OutputNames.also(first.tag, other.tag)}: give each its own tag"
      )
    }
    tagged.foreach { side =>
      OutputNames.twice(side.schema)(_.name).foreach { case (first, other) =>
        throw new IllegalArgumentException(
          s"the side output '${side.tag}' would have two columns '${first.name}'${OutputNames.also(first.name, other.name)}: " +
            "give one of them another name in its schema"
        )
      }
    }
  }

  private def timeText: String = if (window) "the window" else "the event time of the result"

  /** True if there are windows. */
  def window: Boolean = time match {
    case ResultTime.EndOfWindow | ResultTime.NoEnd => true
    case _                                         => false
  }

  /** Index of the side output with that tag. */
  def side(tag: String): Option[Int] = Some(sides.indexWhere(_.tag == tag)).filter(_ >= 0)

  /** Columns of the main output. */
  def main(isStreaming: Boolean): StructType = StructType(
    keys.map(k => k.copy(nullable = true, metadata = EventTimeMarks.removed(k.metadata))) ++ time.column(
      times,
      isStreaming
    ) ++ nameField ++ paneField ++ row.map(StructField(Row, _)) ++
      results.map(_.copy(nullable = true)) ++ changes
  )

  private def changes: Seq[StructField] = changelog.fold(Seq.empty[StructField])(_ => Changelog.columns)

  private def nameField: Option[StructField] = if (named) Some(StructField(WindowName, StringType)) else None

  private def paneField: Option[StructField] = if (pane) Some(StructField(Pane, paneType)) else None

  /** Type of the column `pane`. */
  def paneType: StructType =
    if (showsEmpty) paneOf(times).add(StructField("is_empty", BooleanType)) else paneOf(times)

  /** All columns: those of the main output, then tag and structs of the side outputs if there are any. */
  def all(isStreaming: Boolean): StructType = {
    val side = sides.map(s => StructField(s.tag, s.schema))
    StructType(main(isStreaming) ++ (if (side.isEmpty) Nil else StructField(TagColumn, StringType) +: side))
  }

  /** New attributes for the operator's node. */
  def attributes(isStreaming: Boolean): Seq[Attribute] =
    all(isStreaming).map(f => AttributeReference(f.name, f.dataType, f.nullable, f.metadata)())
}

object OutputLayout {

  /** The column with the output of a row, in the DataFrame of all outputs. */
  val TagColumn = "output"

  /** The name of the main output in the DataFrame of all outputs. */
  val Main = "main"

  /** The window column of a result. */
  val Window = "window"

  /** The column with the name of the windows that a result or a late row is of, where several are declared. */
  val WindowName = "window_name"

  /** The column that tells the firings of a window apart. */
  val Pane = "pane"

  /** The column with the element of an over window. */
  val Row = "row"

  /** @throws java.lang.IllegalArgumentException
    *   for a tag that no side output can have: empty, or a column of the DataFrame of all outputs
    */
  def checkTag(tag: String): Unit =
    if (tag.isEmpty || OutputNames.same(tag, Main) || OutputNames.same(tag, TagColumn))
      throw new IllegalArgumentException(
        s"""the tag of a side output must not be '$tag': give it a name, e.g. "late""""
      )

  private def renamed(column: String) = s"df.withColumnRenamed(${Code.text(column)}, ${Code.text(s"input_$column")})"

  /** The side output of late rows: the columns of the input, the lateness, the missed window and the reason.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the input has a column of such a name
    */
  def late(tag: String, row: Seq[Attribute], times: EventTimeType, named: Boolean): SideOutput = {
    val facts = lateFacts(times, named)
    row.map(_.name).find(name => facts.exists(f => OutputNames.same(f.name, name))).foreach { name =>
      throw new IllegalArgumentException(
        s"the late side output '$tag' adds a column '${name.toLowerCase(Locale.ROOT)}', and the input has one of that name: rename it first, ${renamed(name)}"
      )
    }
    SideOutput(
      tag,
      StructType(
        row.map(a => StructField(a.name, a.dataType, nullable = true, EventTimeMarks.removed(a.metadata))) ++ facts
      )
    )
  }

  /** The type of the element of an over window in a result. */
  def rowOf(view: RowView): StructType =
    StructType(
      view.schema.map(f => StructField(f.name, f.dataType, nullable = true, EventTimeMarks.removed(f.metadata)))
    )

  /** Type of the column `pane` where no window is without rows. */
  def paneOf(times: EventTimeType): StructType = StructType(
    Seq(
      StructField("timing", StringType),
      StructField("number", LongType),
      StructField("is_last", BooleanType),
      StructField("fired_at", TimestampType),
      StructField("replaced", ArrayType(times.window, containsNull = false))
    )
  )

  /** Columns that are added to a late row. */
  def lateFacts(times: EventTimeType, named: Boolean): StructType = {
    val of = StructType(
      Seq(
        StructField("late_by_ms", LongType),
        StructField("missed_window", times.window),
        StructField("late_reason", StringType)
      )
    )
    if (named) of.add(WindowName, StringType) else of
  }
}
