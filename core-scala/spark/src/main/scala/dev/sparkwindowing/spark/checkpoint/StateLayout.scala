package dev.sparkwindowing.spark.checkpoint

import dev.sparkwindowing.spark.computations.ContentsFormat
import dev.sparkwindowing.spark.plan.WindowProgram
import dev.sparkwindowing.spark.rows.StoredFields
import dev.sparkwindowing.state.KeyStateReader.StateKind
import dev.sparkwindowing.windows.{CalendarSlices, CumulativeSlices, SliceGrid, SlidingSlices}
import org.apache.spark.sql.SparkWindowingBridge
import org.apache.spark.sql.types.{DataType, StructType}

import java.net.{URLDecoder, URLEncoder}
import java.time.temporal.ChronoUnit
import java.time.{LocalDate, ZoneId}

/** Layout of a query's state, sufficient to read the state without the query.
  *
  * @param rows
  *   the first columns of the operator's rows, used to display stored rows
  * @param rowWidth
  *   number of columns of such a row
  * @param trigger
  *   the state of the trigger and of sessions that rows can end: the numbers of both, then the trigger's values
  * @param states
  *   function state with known types, by name
  */
private[sparkwindowing] final case class StateLayout(
    kept: StateKind,
    allowedLateness: Long,
    panes: Boolean,
    contents: ContentsFormat,
    rows: StructType,
    rowWidth: Int,
    triggerNumbers: Int,
    trigger: StructType,
    states: StructType
) {
  import StateLayout._

  /** Serialized form: one name and value per line. */
  def lines: Seq[(String, String)] = {
    val (how, fields) = contents match {
      case ContentsFormat.Nothing           => "nothing"  -> None
      case ContentsFormat.Rows              => "rows"     -> None
      case ContentsFormat.Buffer(f)         => "buffer"   -> Some(f)
      case ContentsFormat.Struct(f)         => "struct"   -> Some(f)
      case ContentsFormat.LengthPrefixed(f) => "measured" -> Some(f)
    }
    Seq("kept" -> textOf(kept), "allowed lateness" -> s"$allowedLateness", "panes" -> s"$panes", "contents" -> how) ++
      fields.map("fields" -> json(_)) ++
      Seq(
        "rows"            -> json(rows),
        "row width"       -> s"$rowWidth",
        "trigger numbers" -> s"$triggerNumbers",
        "trigger"         -> json(trigger),
        "states"          -> json(states)
      )
  }
}

private[sparkwindowing] object StateLayout {

  /** The layout of a query.
    *
    * @param program
    *   the program as it runs in the tasks
    * @param columns
    *   the columns of the operator's input rows
    */
  def of(program: WindowProgram, columns: StructType): StateLayout = {
    val input  = program.input
    val rows   = shownRows(StructType(columns.take(input.readCount)), input.keyCount, input.timeOrdinal)
    val memory = TriggerFields(program.plan.memory, rows)
    StateLayout(
      program.plan.stateKind,
      program.plan.allowedLateness,
      program.output.pane || program.output.changelog.nonEmpty,
      program.keptContents,
      rows,
      columns.length,
      memory.numbers.size,
      StructType(unique(memory.numbers ++ memory.values)),
      program.keptStates
    )
  }

  /** The layout from its serialized form.
    *
    * @throws java.util.NoSuchElementException
    *   if a line is missing
    */
  def of(lines: Seq[(String, String)]): StateLayout = {
    val line   = lines.toMap
    def fields = schema(line("fields"))
    StateLayout(
      keptOf(line("kept")),
      line("allowed lateness").toLong,
      line("panes").toBoolean,
      line("contents") match {
        case "rows"     => ContentsFormat.Rows
        case "buffer"   => ContentsFormat.Buffer(fields)
        case "struct"   => ContentsFormat.Struct(fields)
        case "measured" => ContentsFormat.LengthPrefixed(fields)
        case _          => ContentsFormat.Nothing
      },
      schema(line("rows")),
      line("row width").toInt,
      line("trigger numbers").toInt,
      schema(line("trigger")),
      schema(line("states"))
    )
  }

  // The keys have their own columns. The event time is shown under its name unless a column of the input has that name.
  private def shownRows(columns: StructType, keys: Int, time: Int): StructType = {
    val others = columns.indices.filter(i => i >= keys && i != time).map(columns(_).name)
    StructType(unique(columns.zipWithIndex.map { case (f, i) =>
      if (i < keys) StoredFields.hidden(f)
      else if (i == time) {
        val millis = StoredFields.millis(f.name)
        if (others.contains(f.name)) StoredFields.hidden(millis) else millis
      } else f.copy(metadata = org.apache.spark.sql.types.Metadata.empty)
    }))
  }

  private def unique(fields: Seq[org.apache.spark.sql.types.StructField]) = {
    val visible = fields.map(f => if (StoredFields.isHidden(f)) None else Some(f.name))
    fields.zipWithIndex.map { case (f, i) =>
      val before = visible.take(i).count(_ == Some(f.name))
      if (before == 0 || StoredFields.isHidden(f)) f else f.copy(name = s"${f.name}_${before + 1}")
    }
  }

  private def textOf(kept: StateKind): String = kept match {
    case StateKind.Windows             => "windows"
    case StateKind.Sessions            => "windows that merge"
    case StateKind.NoWindows           => "no windows"
    case StateKind.Timestamps(keptFor) => keptFor.fold("timestamps")(time => s"timestamps $time")
    case StateKind.Slices(grids)       => grids.map(textOf).mkString(" and ")
    case StateKind.Sections(all)       =>
      all.map { case (names, kind) => s"${encoded(names)}=${textOf(kind)}" }.mkString(" & ")
  }

  private def textOf(grid: SliceGrid): String = grid match {
    case SlidingSlices(size, slide, offset)       => s"slices $size $slide $offset"
    case CumulativeSlices(maxSize, step, offset)  => s"cumulative slices $maxSize $step $offset"
    case CalendarSlices(unit, count, first, zone) => s"calendar slices ${unit.name} $count $first $zone"
    case other                                    => throw new IllegalStateException(s"$other has no text")
  }

  private def encoded(names: String) = URLEncoder.encode(names, "UTF-8")

  private def keptOf(text: String): StateKind =
    if (text.contains('=')) StateKind.Sections(text.split(" & ").toSeq.map { section =>
      val Array(names, kind) = section.split("=", 2)
      URLDecoder.decode(names, "UTF-8") -> keptOf(kind)
    })
    else keptOfOne(text)

  private def keptOfOne(text: String): StateKind = text.split(' ') match {
    case Array("windows")                  => StateKind.Windows
    case Array("no", "windows")            => StateKind.NoWindows
    case Array("timestamps")               => StateKind.Timestamps(None)
    case Array("timestamps", keptFor)      => StateKind.Timestamps(Some(keptFor.toLong))
    case words if words.contains("slices") => StateKind.Slices(text.split(" and ").toSeq.map(gridOf))
    case _                                 => StateKind.Sessions
  }

  private def gridOf(text: String): SliceGrid = text.split(' ') match {
    case Array("cumulative", _, maxSize, step, offset)  => CumulativeSlices(maxSize.toLong, step.toLong, offset.toLong)
    case Array("calendar", _, unit, count, first, zone) =>
      CalendarSlices(ChronoUnit.valueOf(unit), count.toLong, LocalDate.parse(first), ZoneId.of(zone))
    case Array(_, size, slide, offset) => SlidingSlices(size.toLong, slide.toLong, offset.toLong)
    case _ => throw new IllegalArgumentException(s"the layout has slices of no known kind: $text")
  }

  private def json(fields: StructType): String = SparkWindowingBridge.plain(fields).json

  private def schema(json: String): StructType = DataType.fromJson(json) match {
    case s: StructType => s
    case other         => throw new IllegalArgumentException(s"${other.sql} is no struct")
  }
}
