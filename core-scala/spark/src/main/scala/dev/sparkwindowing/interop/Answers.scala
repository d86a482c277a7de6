package dev.sparkwindowing.interop

import com.fasterxml.jackson.databind.node.JsonNodeFactory
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.simulation.{Simulation, SimulationEvent}
import dev.sparkwindowing.spark.SparkLine
import dev.sparkwindowing.spark.advice.Face
import dev.sparkwindowing.spark.analysis.Analysis
import dev.sparkwindowing.spark.outputs.SideOutputs
import dev.sparkwindowing.spark.plan.{AssignedWindows, QuietStreams, TimestampsAndWatermarks}
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
    "version"                -> (_ => SparkWindowing.version),
    "spark_line"             -> (_ => SparkLine.own),
    "schema"                 -> (m => StructType.fromDDL(m.text("ddl"))),
    "check"                  -> (m => check(m("declaration"))),
    "result"                 -> (m => m.beside.result(DeclarationJson.read(m("declaration")))),
    "python_function_schema" -> (m => SideOutputs.schemaOfPythonFunction(m.frame("handed"))),
    "of_python_function"     -> (m => SideOutputs.mainOfPythonFunction(m.frame("rows"))),
    "python_function_id"     -> (m => SideOutputs.nodeOf(m.frame("result")).program.pythonFunction.map(_.id).orNull),
    "side_output"            -> (m => SparkWindowing.sideOutput(m.frame("result"), m.text("tag"))),
    "all_outputs"            -> (m => SparkWindowing.allOutputs(m.frame("result"))),
    "explain"                -> (m => SparkWindowing.explain(m.frame("result"))),
    "window_columns"         -> (m => SparkWindowing.windowColumns(m.frame("result"))),
    "read_state"             -> readState,
    "with_clock"             -> (m => QuietStreams.withClock(m.frame("rows"), m.duration("every"))),
    "assign_timestamps_and_watermarks" -> assignTimestampsAndWatermarks,
    "input_names"                      -> (m => Simulation.inputSchemas(m.frame("result")).map(_._1)),
    "input_schema"                     -> inputSchema,
    "united_elements"                  -> (m => Simulation.united(m.frame("result"), m.frames("elements"))),
    "simulate"                         -> simulate
  )

  // A part of a declaration, as far as it is written.
  private def check(declaration: Fields): Any = {
    declaration.only("rows", "windows", "joins")
    val windows = DeclarationJson.windows(declaration)
    if (declaration.has("rows")) {
      val input    = KnownInputs.of(DeclarationJson.rows(declaration("rows")).map(declaration.beside.frame))
      val assigned = windows.map(Analysis.windows(input, _))
      if (declaration.flag("joins")) assigned.foreach(AssignedWindows.checkJoin)
    } else windows.foreach(Analysis.alone(_, declaration.beside.session))
    null
  }

  private def readState(message: Fields): DataFrame = SparkWindowing.readState(
    message.beside.session,
    message.text("checkpoint"),
    message.optional[java.lang.Long]("operator_id").map(_.longValue),
    message.optional[java.lang.Long]("batch_id").map(_.longValue)
  )

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
    message.optional[java.lang.Long]("input") match {
      case None         => Simulation.inputSchema(result)
      case Some(number) => Simulation.inputSchemas(result)(number.intValue)._2
    }
  }

  private def simulate(message: Fields): DataFrame = {
    val events = SimulationEvent.read(
      message.list[String]("kinds"),
      message.list[java.lang.Long]("values").map(_.longValue),
      message.list[java.lang.Long]("inputs").map(_.intValue)
    )
    val watermarks = if (message.has("watermarks")) Some(strategy(message("watermarks"))) else None
    new Simulation(message.frame("result"), message.frame("elements"), watermarks).run(events).everything
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
