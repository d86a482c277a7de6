package dev.sparkwindowing.interop

import com.fasterxml.jackson.databind.node.JsonNodeFactory
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.simulation.{Simulation, SimulationEvent, SimulationRun}
import dev.sparkwindowing.spark.SparkLine
import dev.sparkwindowing.spark.advice.Face
import dev.sparkwindowing.spark.analysis.Analysis
import dev.sparkwindowing.spark.outputs.SideOutputs
import dev.sparkwindowing.spark.plan.{AssignedWindows, KeyedInput, QuietStreams, TimestampsAndWatermarks}
import dev.sparkwindowing.spark.upserts.{Upsert, UpsertOptions}
import dev.sparkwindowing.watermarks.WatermarkStrategy
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Column, DataFrame, Dataset}

import scala.jdk.CollectionConverters._

/** The questions of messages and their answers. Nothing else of Scala can be reached by a message. */
private[sparkwindowing] object Answers {

  /** Answers a message.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the message is refused; a refusal of what it asks for passes unchanged
    */
  def of(message: Message, beside: Beside): Answer = {
    val answer = all.getOrElse(message.ask, Message.refuse(s"asks '${message.ask}', which is not on the list"))
    Face.Python.use(answer(new Fields(message.fields, beside))) match {
      case made: Answer      => made
      case frame: Dataset[_] => Answer.Frame(frame.toDF())
      case other             => Answer.Value(json(other))
    }
  }

  private val all: Map[String, Fields => Any] = Map(
    question("version")(_ => SparkWindowing.version),
    question("spark_line")(_ => SparkLine.own),
    question("schema", "ddl")(m => StructType.fromDDL(m.text("ddl"))),
    question("resolve", "rows")(m => Answer.Resolved(input(m("rows")))),
    question("check", "declaration")(m => check(m("declaration"))),
    question("result", "declaration")(m => m.beside.result(DeclarationJson.read(m("declaration")))),
    question("python_function_schema", "handed")(m => SideOutputs.schemaOfPythonFunction(m.frame("handed"))),
    question("of_python_function", "rows")(m => SideOutputs.mainOfPythonFunction(m.frame("rows"))),
    question("python_function_id", "result")(m =>
      SideOutputs.nodeOf(m.frame("result")).program.pythonFunction.map(_.id).orNull
    ),
    question("side_output", "result", "tag")(m => SparkWindowing.sideOutput(m.frame("result"), m.text("tag"))),
    question("all_outputs", "result")(m => SparkWindowing.allOutputs(m.frame("result"))),
    question("explain", "result")(m => SparkWindowing.explain(m.frame("result"))),
    question("window_columns", "result")(m => SparkWindowing.windowColumns(m.frame("result"))),
    question("upsert_table", "result", "options")(m => Upsert.of(m.frame("result"), upsertOptions(m)).keys),
    question("upsert", "batch", "batch_id", "options", "keys")(upsert),
    question("read_state", "checkpoint", "operator_id", "batch_id")(readState),
    question("rescale", "checkpoint", "to", "partitions")(rescale),
    question("migrate", "checkpoint", "result", "to", "sources")(migrate),
    question("with_clock", "rows", "every")(m => QuietStreams.withClock(m.frame("rows"), m.duration("every"))),
    question("assign_timestamps_and_watermarks", "rows", "strategy", "time", "per_partition")(
      assignTimestampsAndWatermarks
    ),
    question("input_names", "result")(m => Simulation.inputSchemas(m.frame("result")).map(_._1)),
    question("input_schema", "result", "input")(inputSchema),
    question("united_elements", "result", "elements")(m => Simulation.united(m.frame("result"), m.frames("elements"))),
    question("simulate", "result", "elements", "kinds", "values", "inputs", "watermarks")(simulate(_).everything),
    question("advise", "rows", "time", "arrived", "every", "per_partition", "keep")(AdviceAnswer.of),
    question("advise_query", "metrics", "keep")(AdviceAnswer.ofQuery),
    question("what_if", "result", "arrived", "every", "delays", "per_partition")(WhatIfAnswer.of),
    question("why", "result", "elements", "kinds", "values", "inputs", "watermarks", "asked")(m =>
      WhyAnswer.of(m, m.frame("result"), simulate(m))
    ),
    question("why_in_checkpoint", "result", "checkpoint", "operator_id", "element")(WhyAnswer.inCheckpoint),
    question("why_static", "result", "asked")(m => WhyAnswer.ofStatic(m, m.frame("result")))
  )

  private def question(name: String, fields: String*)(answer: Fields => Any): (String, Fields => Any) =
    name -> (message => answer(message.only(Seq("protocol", "version", "ask", "in_pipeline") ++ fields: _*)))

  // Rows and windows, as far as they are declared.
  private def check(declaration: Fields): Any = {
    declaration.only("rows", "windows", "joins")
    val rows = input(declaration("rows"))
    DeclarationJson.windows(declaration).map(Analysis.windows(rows, _)).foreach { windows =>
      if (declaration.flag("joins")) AssignedWindows.checkJoin(rows, windows)
    }
    null
  }

  private def input(rows: Fields): KeyedInput = Analysis.input(DeclarationJson.rows(rows).map(rows.beside.frame))

  private def upsert(message: Fields): Any = {
    val keys = message.list[String]("keys")
    Upsert.again(upsertOptions(message), keys).write(message.frame("batch"), message.get[Number]("batch_id").longValue)
    null
  }

  private def upsertOptions(message: Fields): UpsertOptions =
    UpsertOptions.of(message.pairs("options")(_.asText).toMap)

  private def readState(message: Fields): DataFrame = SparkWindowing.readState(
    message.beside.session,
    message.text("checkpoint"),
    message.optional[Number]("operator_id").map(_.longValue),
    message.optional[Number]("batch_id").map(_.longValue)
  )

  private def rescale(message: Fields): Seq[java.util.Map[String, Any]] = SparkWindowing
    .rescale(
      message.beside.session,
      message.text("checkpoint"),
      message.text("to"),
      math.min(message.get[Number]("partitions").longValue, Int.MaxValue.toLong).toInt
    )
    .map { of =>
      Map[String, Any](
        "operator_id" -> of.operatorId,
        "before"      -> of.before,
        "partitions"  -> of.partitions,
        "rows"        -> of.rows,
        "size"        -> of.bytes,
        "checksum"    -> of.checksum
      ).asJava
    }

  // Of the sources -1 is for a new one.
  private def migrate(message: Fields): Seq[java.util.Map[String, Any]] = {
    val sources =
      if (!message.has("sources")) None
      else Some(message.list[Number]("sources").map(n => Some(n.intValue).filter(_ != -1)))
    SparkWindowing.migrate(message.text("checkpoint"), message.frame("result"), message.text("to"), sources).map { of =>
      Map[String, Any](
        "operator_id" -> of.operatorId,
        "rows"        -> of.rows,
        "size"        -> of.bytes,
        "added"       -> of.added.asJava,
        "dropped"     -> of.dropped.asJava
      ).asJava
    }
  }

  private def assignTimestampsAndWatermarks(message: Fields): DataFrame = TimestampsAndWatermarks.assign(
    message.frame("rows"),
    strategy(message("strategy")),
    message.optional[String]("time"),
    message.optional[Column]("per_partition")
  )

  private def strategy(fields: Fields): WatermarkStrategy = {
    fields.only("made_by", "timestamp_assigner", "idleness", "bounded_by_clock", "max_ahead_of_clock")
    val made     = fields.get[WatermarkStrategy]("made_by")
    val assigned = fields.optional[Column]("timestamp_assigner").fold(made)(made.withTimestampAssigner(_))
    val idle     =
      if (!fields.has("idleness")) assigned
      else assigned.withIdleness(fields.duration("idleness"), fields.flag("bounded_by_clock"))
    if (fields.has("max_ahead_of_clock")) idle.withMaxAheadOfClock(fields.duration("max_ahead_of_clock")) else idle
  }

  private def inputSchema(message: Fields): StructType = {
    val result = message.frame("result")
    message.optional[Number]("input") match {
      case None         => Simulation.inputSchema(result)
      case Some(number) => Simulation.inputSchemas(result)(number.intValue)._2
    }
  }

  private def simulate(message: Fields): SimulationRun = {
    val events = SimulationEvent.read(
      message.list[String]("kinds"),
      message.list[Number]("values").map(_.longValue),
      message.list[Number]("inputs").map(_.intValue)
    )
    val watermarks = if (message.has("watermarks")) Some(strategy(message("watermarks"))) else None
    new Simulation(message.frame("result"), message.frame("elements"), watermarks).run(events)
  }

  private val mapper = new ObjectMapper

  private def json(value: Any): String = mapper.writeValueAsString(node(value))

  private def node(value: Any): JsonNode = value match {
    case text: String       => JsonNodeFactory.instance.textNode(text)
    case schema: StructType => mapper.readTree(schema.json)
    case list: Seq[_]       => mapper.valueToTree[JsonNode](list.asJava)
    case _                  => JsonNodeFactory.instance.nullNode
  }
}
