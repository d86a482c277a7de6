package dev.sparkwindowing.interop.connect

import com.fasterxml.jackson.core.{JsonParser, JsonProcessingException, JsonToken}
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import dev.sparkwindowing.spark.BuildInfo

import java.time.Duration
import scala.jdk.CollectionConverters._

/** Calls that a client of Spark Connect recorded, in order, and the value that it asks for.
  *
  * The message is JSON:
  * {{{
  * {"protocol": 1, "version": "0.1.0",
  *  "calls": [{"method": "keyBy", "arguments": [{"frame": 0}, {"list": [{"column": 0}]}, null, "late"]},
  *            {"on": 0, "method": "withPane", "arguments": []}],
  *  "result": {"call": 1}}
  * }}}
  * A call without `on` is one of [[dev.sparkwindowing.SparkWindowing]]. Calls are a list and not nested, so a long
  * declaration is not a deep message.
  */
private[sparkwindowing] final case class RecordedCalls(calls: Seq[RecordedCall], result: RecordedValue)

/** A call of a method, on the result of an earlier call or on the entry object. */
private[sparkwindowing] final case class RecordedCall(on: Option[Int], method: String, arguments: Seq[RecordedValue])

/** An argument, or the value that is asked for. */
private[sparkwindowing] sealed trait RecordedValue extends Product with Serializable

private[sparkwindowing] object RecordedValue {

  /** A number, a boolean, a string, a duration or null. */
  final case class Plain(value: Any) extends RecordedValue

  final case class Items(values: Seq[RecordedValue]) extends RecordedValue

  /** The result of a call, by its number. */
  final case class OfCall(number: Int) extends RecordedValue

  /** A DataFrame beside the message, by its number. */
  final case class Frame(number: Int) extends RecordedValue

  /** A column beside the message, by its number. */
  final case class OfColumn(number: Int) extends RecordedValue

  /** A schema as JSON. */
  final case class Schema(json: String) extends RecordedValue

  /** A schema as in DDL. */
  final case class Ddl(text: String) extends RecordedValue

  /** The session of the caller: no message names another one. */
  case object Session extends RecordedValue
}

private[sparkwindowing] object RecordedCalls {
  import RecordedValue._

  /** Version of the form of the message. */
  val Protocol = 1

  /** Greatest length of a message, in characters. */
  val MaxLength: Int = 16 * 1024 * 1024

  /** Greatest depth of lists and objects inside each other. */
  val MaxDepth = 64

  /** Greatest number of calls. */
  val MaxCalls = 20000

  private val mapper = new ObjectMapper

  /** Reads a message. Nothing of it runs.
    *
    * @throws java.lang.IllegalArgumentException
    *   if it is no message, is too large, or comes from another version of the package
    */
  def read(json: String): RecordedCalls = {
    if (json.length > MaxLength) refuse(s"has ${json.length} characters, and $MaxLength are allowed")
    val message =
      try {
        checkDepth(json)
        mapper.readTree(json)
      } catch {
        case _: JsonProcessingException => refuse("is not JSON")
      }
    if (message == null || !message.isObject) refuse("is no JSON object")
    checkVersion(message)
    val calls = message.get("calls")
    if (calls == null || !calls.isArray) refuse("has no list of calls")
    if (calls.size > MaxCalls) refuse(s"has ${calls.size} calls, and $MaxCalls are allowed")
    if (!message.has("result")) refuse("asks for no result")
    RecordedCalls(calls.elements.asScala.map(call).toVector, value(message.get("result")))
  }

  private def checkDepth(json: String): Unit = {
    val parser = mapper.getFactory.createParser(json)
    try depth(parser)
    finally parser.close()
  }

  private def depth(parser: JsonParser): Unit = {
    var depth = 0
    var token = parser.nextToken()
    while (token != null) {
      if (token == JsonToken.START_ARRAY || token == JsonToken.START_OBJECT) depth += 1
      if (token == JsonToken.END_ARRAY || token == JsonToken.END_OBJECT) depth -= 1
      if (depth > MaxDepth) refuse(s"is nested deeper than $MaxDepth")
      token = parser.nextToken()
    }
  }

  private def checkVersion(message: JsonNode): Unit = {
    val protocol = message.path("protocol").asText("none")
    val version  = message.path("version").asText("none")
    if (protocol != Protocol.toString || version != BuildInfo.version)
      throw new IllegalArgumentException(
        s"The server has spark-windowing ${BuildInfo.version} (protocol $Protocol), the client has $version " +
          s"(protocol $protocol)."
      )
  }

  private def call(node: JsonNode): RecordedCall = {
    val method    = node.get("method")
    val arguments = node.get("arguments")
    if (method == null || !method.isTextual) refuse("has a call without method")
    if (arguments == null || !arguments.isArray) refuse(s"has a call of ${method.asText} without arguments")
    val on = if (node.has("on")) Some(number(node, "on")) else None
    RecordedCall(on, method.asText, arguments.elements.asScala.map(value).toVector)
  }

  private def value(node: JsonNode): RecordedValue = node match {
    case n if n.isNull                                 => Plain(null)
    case n if n.isTextual                              => Plain(n.textValue)
    case n if n.isBoolean                              => Plain(n.booleanValue)
    case n if n.isIntegralNumber && n.canConvertToLong => Plain(n.longValue)
    case n if n.isObject && n.size == 1                => tagged(n, n.fieldNames.next())
    case n                                             => refuse(s"contains an invalid value: ${shown(n)}")
  }

  private def tagged(node: JsonNode, name: String): RecordedValue = (name, node.get(name)) match {
    case ("call", _)                            => OfCall(number(node, name))
    case ("frame", _)                           => Frame(number(node, name))
    case ("column", _)                          => OfColumn(number(node, name))
    case ("list", items) if items.isArray       => Items(items.elements.asScala.map(value).toVector)
    case ("real", n) if n.isTextual             => Plain(real(n.textValue))
    case ("ms", n) if n.canConvertToLong        => Plain(Duration.ofMillis(n.longValue))
    case ("schema", schema) if schema.isObject  => Schema(schema.toString)
    case ("ddl", text) if text.isTextual        => Ddl(text.textValue)
    case ("session", flag) if flag.booleanValue => Session
    case _                                      => refuse(s"contains an invalid value: ${shown(node)}")
  }

  private def real(text: String): Double =
    try text.toDouble
    catch { case _: NumberFormatException => refuse(s"contains an invalid number: $text") }

  private def number(node: JsonNode, name: String): Int = {
    val n = node.get(name)
    if (!n.isIntegralNumber || !n.canConvertToInt || n.intValue < 0) refuse(s"has no number for $name: ${shown(n)}")
    n.intValue
  }

  private def shown(node: JsonNode): String = {
    val text = node.toString
    if (text.length <= 60) text else text.take(60) + ".."
  }

  /** @throws java.lang.IllegalArgumentException always */
  def refuse(what: String): Nothing =
    throw new IllegalArgumentException(s"spark-windowing refuses the message of a Spark Connect client: it $what")
}
