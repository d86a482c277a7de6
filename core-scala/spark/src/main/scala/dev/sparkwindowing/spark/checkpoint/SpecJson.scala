package dev.sparkwindowing.spark.checkpoint

import com.fasterxml.jackson.databind.node.{JsonNodeFactory, ObjectNode}
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import dev.sparkwindowing.declaration.{Forgettable, PartSpec, Spec}

import scala.jdk.CollectionConverters._

/** JSON form of the tree of a declaration.
  *
  * A part is `{"class": .., "arguments": {..}, "options": {..}}`, a duration `{"ms": ..}`, a column `{"sql": ..}`, a
  * floating-point number `{"real": ".."}`; whole numbers, booleans, strings and lists are plain JSON.
  */
private[sparkwindowing] object SpecJson {
  private val mapper            = new ObjectMapper
  private val nodes             = JsonNodeFactory.instance
  def write(spec: Spec): String = text(node(spec, numbers = true))

  /** Text that tells a declaration from others: as it is written, but for the numbers that its triggers keep, which
    * follow from the rest.
    */
  def identity(spec: Spec): String = text(node(spec, numbers = false))

  private def text(node: JsonNode): String = mapper.writerWithDefaultPrettyPrinter.writeValueAsString(node)

  /** @throws com.fasterxml.jackson.core.JsonProcessingException
    *   if it is not JSON
    * @throws java.lang.IllegalArgumentException
    *   if it is not the tree of a declaration
    */
  def read(json: String): Spec = spec(mapper.readTree(json))

  private def node(spec: Spec, numbers: Boolean): JsonNode = spec match {
    case Spec.Count(n)          => nodes.numberNode(n)
    case Spec.Flag(flag)        => nodes.booleanNode(flag)
    case Spec.Text(text)        => nodes.textNode(text)
    case Spec.Real(n)           => nodes.objectNode.put("real", n.toString)
    case Spec.Duration(ms)      => nodes.objectNode.put("ms", ms)
    case Spec.Free(value, _)    => node(value, numbers)
    case Spec.Sql(sql, None)    => nodes.objectNode.put("sql", sql)
    case Spec.Sql(sql, Some(t)) => nodes.objectNode.put("sql", sql).put("type", t)
    case Spec.Items(values)     =>
      val array = nodes.arrayNode
      values.foreach(v => array.add(node(v, numbers)))
      array
    case part: PartSpec =>
      val made = nodes.objectNode.put("class", part.name)
      putAll(made, "arguments", part.arguments, numbers)
      putAll(made, "options", part.options, numbers)
      part.forgettable.foreach { left =>
        if (left.numbers == 0) made.put("memoryless", true) else if (numbers) made.put("numbers", left.numbers)
        if (left.mayWait && numbers) made.put("mayWait", true)
      }
      made
  }

  private def putAll(part: ObjectNode, name: String, values: Seq[(String, Spec)], numbers: Boolean): Unit = {
    val written = values.filter(_._2.isWritten)
    if (written.nonEmpty) {
      val fields = part.putObject(name)
      written.foreach { case (n, v) => fields.set[JsonNode](n, node(v, numbers)) }
    }
  }

  private def spec(node: JsonNode): Spec = node match {
    case n if n.isIntegralNumber => Spec.Count(n.longValue)
    case n if n.isBoolean        => Spec.Flag(n.booleanValue)
    case n if n.isTextual        => Spec.Text(n.textValue)
    case n if n.isArray          => Spec.Items(n.elements.asScala.map(spec).toSeq)
    case n if n.has("real")      => Spec.Real(n.get("real").asText.toDouble)
    case n if n.has("ms")        => Spec.millis(n.get("ms").longValue)
    case n if n.has("sql")       => Spec.Sql(n.get("sql").asText, Option(n.get("type")).map(_.asText))
    case n if n.has("class")     =>
      PartSpec(n.get("class").asText, all(n.get("arguments")), all(n.get("options")), forgettable(n))
    case n => throw new IllegalArgumentException(s"$n is no part of a declaration")
  }

  private def forgettable(part: JsonNode): Option[Forgettable] = {
    val numbers = if (part.has("memoryless")) Some(0) else Option(part.get("numbers")).map(_.intValue)
    numbers.map(Forgettable(_, mayWait = part.has("mayWait")))
  }

  private def all(fields: JsonNode): Seq[(String, Spec)] =
    if (fields == null) Nil else fields.fieldNames.asScala.map(name => name -> spec(fields.get(name))).toSeq
}
