package dev.sparkwindowing.interop

import dev.sparkwindowing.assigners.{NamedWindows, SlidingEventTimeWindows, TumblingEventTimeWindows, WindowAssigner}
import dev.sparkwindowing.columns.{ColumnAggregateFunction, ColumnProcess, ColumnReduceFunction, ColumnState}
import dev.sparkwindowing.evictors.Evictor
import dev.sparkwindowing.functions.{AggregateFunction, JoinKind, KeyedProcessFunction, ReduceFunction, SideOutput}
import dev.sparkwindowing.spark.declared.{Computed, Declaration, DeclaredRows, FieldAggregate}
import dev.sparkwindowing.spark.plan.{Changelog, MissingTime, WindowRules}
import dev.sparkwindowing.triggers.Trigger
import dev.sparkwindowing.windows.Millis
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.{Column, Row}

import java.time.Duration

/** Declarations as JSON, which Python writes. DataFrames are numbers. */
private[interop] object DeclarationJson {

  def read(fields: Fields): Declaration[Int] = {
    fields.only("rows", "windows", "compute", "python_function")
    Declaration(rows(fields("rows")), windows(fields), computed(fields))
  }

  def rows(fields: Fields): DeclaredRows[Int] =
    if (fields.has("inputs")) DeclaredRows.Together(fields.only("inputs").pairs("inputs")(rows))
    else if (fields.has("resolved")) DeclaredRows.Resolved(fields.only("resolved").resolved)
    else {
      fields.only("frame", "keys", "time", "on_missing_time", "history", "retracts")
      DeclaredRows.Keyed(
        fields.frameNumber("frame"),
        fields.columns("keys"),
        fields.optional[Column]("time"),
        MissingTime.of(fields.text("on_missing_time")),
        if (fields.has("history")) Some(history(fields("history").only("frame", "emit"))) else None,
        fields.optional[Column]("retracts")
      )
    }

  private def history(fields: Fields): (Int, Boolean) = fields.frameNumber("frame") -> fields.flag("emit")

  def windows(declaration: Fields): Option[WindowRules] =
    if (!declaration.has("windows")) None else Some(rules(declaration("windows")))

  private def rules(fields: Fields): WindowRules = {
    fields.only("assigner" +: Settings.map(_._1): _*)
    Settings.foldLeft(ofAssigner(fields)) { case (rules, (name, set)) =>
      if (fields.has(name)) set(rules, fields, name) else rules
    }
  }

  // Changes of the rules by the name of a setting.
  private val Settings = Seq[(String, (WindowRules, Fields, String) => WindowRules)](
    "trigger"               -> ((r, f, n) => r.copy(chosenTrigger = Some(f.get[Trigger[InternalRow]](n)))),
    "evictor"               -> ((r, f, n) => r.copy(evictor = Some(f.get[Evictor[InternalRow]](n)))),
    "allowed_lateness"      -> ((r, f, n) => r.copy(allowedLateness = Millis.of(n, f.duration(n)))),
    "side_output_late_data" -> ((r, f, n) => r.copy(lateTag = Some(f.text(n)))),
    "with_pane"             -> ((r, f, n) => r.copy(pane = f.flag(n))),
    "with_row"              -> ((r, f, n) => r.copy(withRow = f.flag(n))),
    "changelog"             -> ((r, f, n) => r.copy(changelog = Some(changelog(f(n))))),
    "fill_empty"            -> ((r, f, n) => r.copy(fillEmpty = Some(forAtMost(f(n))))),
    "collapse_firings"      -> ((r, f, n) => r.copy(collapsesFirings = f.flag(n))),
    "allow_state_change"    -> ((r, f, n) => r.copy(allowsStateChange = f.flag(n)))
  )

  private def changelog(fields: Fields): Changelog = Changelog(fields.only("before").flag("before"))

  private def forAtMost(fields: Fields): Long =
    Millis.positive("for_at_most", fields.only("for_at_most").duration("for_at_most"))

  private def ofAssigner(fields: Fields): WindowRules = {
    val short = fields("assigner")
    if (short.has("time_window"))
      short.list[Duration]("time_window") match {
        case Seq(size)        => WindowRules(TumblingEventTimeWindows.of(size))
        case Seq(size, slide) => WindowRules(SlidingEventTimeWindows.of(size, slide))
        case _                => Message.refuse("has a time_window of neither one nor two durations")
      }
    else if (short.has("count_window")) counted(short.list[AnyRef]("count_window"))
    else if (short.has("windows"))
      WindowRules(NamedWindows.of(short.only("windows").pairs("windows")(_.asPart[WindowAssigner[Any]]): _*))
    else WindowRules(fields.get[WindowAssigner[InternalRow]]("assigner"))
  }

  private def counted(sizes: Seq[AnyRef]): WindowRules = sizes match {
    case Seq(size: Number)                => WindowRules.ofCount(size.longValue)
    case Seq(size: Number, slide: Number) => WindowRules.ofCount(size.longValue, slide.longValue, onlyFull = false)
    case Seq(size: Number, slide: Number, onlyFull: java.lang.Boolean) =>
      WindowRules.ofCount(size.longValue, slide.longValue, onlyFull)
    case _ => Message.refuse("has a count_window of other values than size, slide and only_full")
  }

  private def computed(fields: Fields): Computed = {
    val compute = fields("compute")
    if (fields.has("python_function")) python(compute, fields("python_function"))
    else if (compute.has("join")) join(compute.only("join").text("join"), fields("rows"))
    else if (compute.has("process")) process(compute)
    else folded(compute)
  }

  private def join(name: String, rows: Fields): Computed = {
    if (rows.has("frame")) Message.refuse("joins rows of one input")
    Computed.Joined(Kinds.getOrElse(name, Message.refuse(s"has an unknown join: $name")))
  }

  private val Kinds =
    Map("inner" -> JoinKind.Inner, "left" -> JoinKind.Left, "right" -> JoinKind.Right, "full" -> JoinKind.Full)

  private def folded(fields: Fields): Computed.Folded = {
    fields.only(Seq("aggregate", "reduce") ++ Fieldwise: _*)
    if (fields.size > 1) Message.refuse("has several computations")
    Fieldwise.find(fields.has) match {
      case Some(name)                         => ofField(name, fields)
      case None if fields.isList("aggregate") => Computed.Aggregates(fields.columns("aggregate"))
      case None if fields.has("aggregate")    => aggregate(fields.get[AnyRef]("aggregate"))
      case None                               => reduce(fields.get[AnyRef]("reduce"))
    }
  }

  private val Fieldwise = Seq("sum", "min", "max", "min_by", "max_by")

  private def ofField(name: String, fields: Fields): Computed.Folded = {
    def by(make: Boolean => FieldAggregate) = fields.list[AnyRef](name) match {
      case Seq(field: String, first: java.lang.Boolean) => Computed.OfField(make(first), field)
      case _ => Message.refuse(s"has a $name of other values than field and first")
    }
    name match {
      case "sum"    => Computed.OfField(FieldAggregate.Sum, fields.text(name))
      case "min"    => Computed.OfField(FieldAggregate.Min, fields.text(name))
      case "max"    => Computed.OfField(FieldAggregate.Max, fields.text(name))
      case "min_by" => by(FieldAggregate.MinBy(_))
      case "max_by" => by(FieldAggregate.MaxBy(_))
    }
  }

  private def aggregate(function: AnyRef): Computed.Folded = function match {
    case columns: ColumnAggregateFunction          => Computed.ColumnAggregate(columns)
    case ClassFunction(f: AggregateFunction, spec) => Computed.RowAggregate(f, spec)
    case other                                     => refuseClass("aggregate", "AggregateFunction", other)
  }

  private def reduce(function: AnyRef): Computed.Folded = function match {
    case columns: ColumnReduceFunction          => Computed.ColumnReduced(columns)
    case ClassFunction(f: ReduceFunction, spec) => Computed.RowReduced(f, spec)
    case other                                  => refuseClass("reduce", "ReduceFunction", other)
  }

  private def process(fields: Fields): Computed = fields.get[AnyRef]("process") match {
    case columns: ColumnProcess =>
      fields.only("process")
      Computed.ColumnProcessed(columns)
    case ClassFunction(f: KeyedProcessFunction[_, _, _], spec) =>
      val function = f.asInstanceOf[KeyedProcessFunction[Row, Row, Row]]
      fields.only("process", "schema", "side_outputs")
      Computed.RowProcessed(function, spec, fields.schema("schema"), sides(fields))
    case other => refuseClass("process", "KeyedProcessFunction", other)
  }

  private def refuseClass(call: String, interface: String, value: AnyRef): Nothing =
    throw new IllegalArgumentException(
      s"$call takes a class that implements dev.sparkwindowing.functions.$interface, got ${ClassFunction.className(value)}"
    )

  private def python(compute: Fields, fields: Fields): Computed = {
    fields.only("id", "schema", "side_outputs", "window_state", "global_state")
    Computed.PythonProcessed(
      if (compute.has("elements")) ofElements(compute.only("elements")) else Some(folded(compute)),
      fields.text("id"),
      fields.schema("schema"),
      sides(fields),
      fields.optional[ColumnState]("window_state"),
      fields.optional[ColumnState]("global_state")
    )
  }

  private def ofElements(fields: Fields): None.type =
    if (fields.flag("elements")) None else Message.refuse("has elements that are not true")

  private def sides(fields: Fields): Seq[SideOutput] =
    fields.pairs("side_outputs")(_.asSchema).map { case (tag, schema) => SideOutput(tag, schema) }
}
