package dev.sparkwindowing.interop

import com.fasterxml.jackson.core.{JsonParser, JsonProcessingException, JsonToken}
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import dev.sparkwindowing.spark.BuildInfo

/** Question of Python to Scala, in a session with a JVM and by Spark Connect alike.
  *
  * It is JSON: the question by its name ([[Answers]]) and the fields that it takes ([[Fields]]). DataFrames and columns
  * stand beside it, and it names them by number:
  * {{{
  * {"protocol": 2, "version": "0.1.0", "ask": "result", "declaration": {
  *    "rows": {"frame": {"frame": 0}, "keys": [{"column": 0}], "time": null, "on_missing_time": "late"},
  *    "windows": {"assigner": {"class": "dev.sparkwindowing.assigners.TumblingEventTimeWindows", "method": "of",
  *                             "arguments": [{"ms": 300000}, {"ms": 0}, "ALIGNED"]}},
  *    "compute": {"aggregate": [{"column": 1}]
  * }}}
  * }}} In the definition of a pipeline it has `"in_pipeline": true`: the datasets that it reads are not there yet.
  */
private[sparkwindowing] final case class Message(ask: String, fields: JsonNode) {

  /** True if it comes from the definition of a Spark Declarative Pipeline. */
  def inPipeline: Boolean = fields.path("in_pipeline").asBoolean
}

private[sparkwindowing] object Message {

  /** Version of the form of a message. */
  val Protocol = 2

  /** Greatest length of a message, in characters. */
  val MaxLength: Int = 16 * 1024 * 1024

  /** Greatest depth of lists and objects inside each other. */
  val MaxDepth = 64

  private val mapper = new ObjectMapper

  /** Reads a message. Nothing of it runs.
    *
    * @throws java.lang.IllegalArgumentException
    *   if it is no message, is too large, or comes from another version of the package
    */
  def read(json: String): Message = {
    if (json.length > MaxLength) refuse(s"has ${json.length} characters, and $MaxLength are allowed")
    val node =
      try {
        checkDepth(json)
        mapper.readTree(json)
      } catch {
        case _: JsonProcessingException => refuse("is not JSON")
      }
    if (node == null || !node.isObject) refuse("is no JSON object")
    checkVersion(node)
    val ask = node.get("ask")
    if (ask == null || !ask.isTextual) refuse("asks nothing")
    Message(ask.textValue, node)
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

  /** @throws java.lang.IllegalArgumentException always */
  def refuse(what: String): Nothing =
    throw new IllegalArgumentException(s"spark-windowing refuses the message of a Python client: it $what")
}
