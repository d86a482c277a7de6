package dev.sparkwindowing.interop

import com.fasterxml.jackson.databind.JsonNode
import dev.sparkwindowing.spark.plan.KeyedInput
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.{Column, DataFrame}

import java.time.Duration
import scala.jdk.CollectionConverters._
import scala.reflect.ClassTag

/** Fields of a message or of an object in it, as values of Scala. A field that is missing is null.
  *
  * | JSON                                             | value                                    |
  * |:-------------------------------------------------|:-----------------------------------------|
  * | `{"ms": 300000}`                                 | a duration                               |
  * | `{"real": "0.5"}`                                | a floating-point number                  |
  * | `{"column": 0}`, `{"frame": 0}`                  | a column, a DataFrame beside the message |
  * | `{"schema": {..}}`, `{"ddl": "a INT"}`           | a schema                                 |
  * | `{"class": .., "method": .., "arguments": [..]}` | what a factory of parts returns          |
  */
private[interop] final class Fields(node: JsonNode, val beside: Beside) {
  import Fields._

  /** @throws java.lang.IllegalArgumentException
    *   if there is a field of another name
    */
  def only(names: String*): Fields = {
    if (!node.isObject) Message.refuse(s"has no object where one is expected: ${shown(node)}")
    node.fieldNames.asScala.find(!names.contains(_)).foreach(name => Message.refuse(s"has an unknown field $name"))
    this
  }

  def has(name: String): Boolean = node.hasNonNull(name)

  /** Number of fields. */
  def size: Int = node.size

  def apply(name: String): Fields = new Fields(node.path(name), beside)

  /** The value of a field.
    *
    * @throws java.lang.IllegalArgumentException
    *   if it is none of that type
    */
  def get[A: ClassTag](name: String): A = optional[A](name).getOrElse(Message.refuse(s"has no $name"))

  /** The value of a field that may be missing. */
  def optional[A](name: String)(implicit of: ClassTag[A]): Option[A] =
    if (!has(name)) None
    else
      value(node.get(name)) match {
        case a: A => Some(a)
        case _    => Message.refuse(s"has no ${of.runtimeClass.getSimpleName} in $name: ${shown(node.get(name))}")
      }

  /** The values of a list. */
  def list[A](name: String)(implicit of: ClassTag[A]): Seq[A] = items(name).map { item =>
    value(item) match {
      case a: A => a
      case _    => Message.refuse(s"has no list of ${of.runtimeClass.getSimpleName} in $name: ${shown(item)}")
    }
  }

  /** The pairs of a list: the text and what `read` makes of the other value. */
  def pairs[A](name: String)(read: Fields => A): Seq[(String, A)] =
    if (!has(name)) Nil
    else
      items(name).map { pair =>
        if (!pair.isArray || pair.size != 2 || !pair.get(0).isTextual)
          Message.refuse(s"has no pair in $name: ${shown(pair)}")
        pair.get(0).textValue -> read(new Fields(pair.get(1), beside))
      }

  def isList(name: String): Boolean = node.path(name).isArray

  def text(name: String): String             = get[String](name)
  def flag(name: String): Boolean            = optional[java.lang.Boolean](name).exists(_.booleanValue)
  def duration(name: String): Duration       = get[Duration](name)
  def schema(name: String): StructType       = get[StructType](name)
  def asSchema: StructType                   = of(value(node))
  def asPart[A](implicit of: ClassTag[A]): A = value(node) match {
    case a: A => a
    case _    => Message.refuse(s"has no ${of.runtimeClass.getSimpleName}: ${shown(node)}")
  }
  def asText: String = if (node.isTextual) node.textValue else Message.refuse(s"has no text: ${shown(node)}")
  def frame(name: String): DataFrame     = beside.frame(frameNumber(name))
  def columns(name: String): Seq[Column] = list[Column](name)

  /** The DataFrames of a list. */
  def frames(name: String): Seq[DataFrame] = items(name).map(item => beside.frame(new Fields(item, beside).ownNumber))

  /** The objects of a list, which have whole numbers by name. */
  def numbers(name: String): Seq[Map[String, Long]] = items(name).map { item =>
    item.fieldNames.asScala.map { of =>
      val n = item.get(of)
      if (!n.isIntegralNumber) Message.refuse(s"has no whole number for $of: ${shown(n)}")
      of -> n.longValue
    }.toMap
  }

  /** The number of a DataFrame beside the message. */
  def frameNumber(name: String): Int = beside.checkedFrame(apply(name).ownNumber)

  /** The resolved rows beside the message that this object names. */
  def resolved: KeyedInput = beside.resolved(index(node, "resolved"))

  private def ownNumber: Int = index(node, "frame")

  private def of(value: AnyRef): StructType = value match {
    case schema: StructType => schema
    case _                  => Message.refuse(s"contains no schema: ${shown(node)}")
  }

  private def items(name: String): Seq[JsonNode] = {
    val list = node.path(name)
    if (!list.isArray) Message.refuse(s"has no list of $name")
    list.elements.asScala.toVector
  }

  private def value(node: JsonNode): AnyRef = node match {
    case n if n.isNull                                 => null
    case n if n.isTextual                              => n.textValue
    case n if n.isBoolean                              => java.lang.Boolean.valueOf(n.booleanValue)
    case n if n.isIntegralNumber && n.canConvertToInt  => Integer.valueOf(n.intValue) // as py4j hands it over
    case n if n.isIntegralNumber && n.canConvertToLong => java.lang.Long.valueOf(n.longValue)
    case n if n.isArray                 => new java.util.ArrayList(n.elements.asScala.map(value).toSeq.asJava)
    case n if n.has("class")            => part(new Fields(n, beside).only("class", "method", "arguments"))
    case n if n.isObject && n.size == 1 => tagged(n, n.fieldNames.next())
    case n                              => Message.refuse(s"contains an invalid value: ${shown(n)}")
  }

  private def part(fields: Fields): AnyRef = {
    val arguments = fields.items("arguments").map(value)
    Parts.make(fields.text("class"), fields.text("method"), arguments)
  }

  private def tagged(node: JsonNode, name: String): AnyRef = (name, node.get(name)) match {
    case ("column", _)                                         => beside.column(index(node, name))
    case ("real", n) if n.isTextual                            => real(n.textValue)
    case ("ms", n) if n.isIntegralNumber && n.canConvertToLong => Duration.ofMillis(n.longValue)
    case ("schema", schema) if schema.isObject                 => schemaOf(schema.toString)
    case ("ddl", text) if text.isTextual                       => StructType.fromDDL(text.textValue)
    case _ => Message.refuse(s"contains an invalid value: ${shown(node)}")
  }
}

private[interop] object Fields {

  private def schemaOf(json: String): StructType =
    try
      DataType.fromJson(json) match {
        case schema: StructType => schema
        case _                  => Message.refuse("contains an invalid schema")
      }
    catch {
      case e: RuntimeException if !e.isInstanceOf[IllegalArgumentException] =>
        Message.refuse("contains an invalid schema")
    }

  private def real(text: String): java.lang.Double =
    try java.lang.Double.valueOf(text)
    catch { case _: NumberFormatException => Message.refuse(s"contains an invalid number: $text") }

  private def index(node: JsonNode, name: String): Int = {
    val n = node.path(name)
    if (!n.isIntegralNumber || !n.canConvertToInt || n.intValue < 0)
      Message.refuse(s"has no number for $name: ${shown(n)}")
    n.intValue
  }

  private def shown(node: JsonNode): String = {
    val text = node.toString
    if (text.length <= 60) text else text.take(60) + ".."
  }
}
