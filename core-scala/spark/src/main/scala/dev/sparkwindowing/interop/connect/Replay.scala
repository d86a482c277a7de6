package dev.sparkwindowing.interop.connect

import com.fasterxml.jackson.databind.node.JsonNodeFactory
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import dev.sparkwindowing.SparkWindowing
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.{Column, DataFrame, Dataset, SparkSession}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

/** Runs recorded calls on the objects that a client in the same JVM would call.
  *
  * @param session
  *   the session of the caller
  * @param frames
  *   the DataFrames beside the message, each made when it is needed
  * @param columns
  *   the columns beside the message, likewise
  */
private[sparkwindowing] final class Replay(
    session: SparkSession,
    frames: IndexedSeq[() => DataFrame],
    columns: IndexedSeq[() => Column]
) {
  import RecordedValue._

  private[this] val results = mutable.ArrayBuffer.empty[AnyRef]
  private[this] val made    = mutable.Map.empty[Int, DataFrame]

  /** The value that the message asks for: a DataFrame, or JSON of any other value. From its first message on a session
    * has the table functions of windows.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the message is refused; a refusal of a call passes unchanged
    */
  def run(message: RecordedCalls): Either[String, DataFrame] = {
    SparkWindowing.attach(session)
    message.calls.foreach { call =>
      val receiver  = call.on.fold[AnyRef](SparkWindowing)(result)
      val arguments = call.arguments.map(value)
      results += AllowedCalls.call(receiver, call.method, arguments)
    }
    value(message.result) match {
      case frame: Dataset[_] => Right(frame.toDF())
      case other             => Left(Replay.json(other))
    }
  }

  private[this] def result(number: Int): AnyRef =
    if (number < results.size) results(number)
    else RecordedCalls.refuse(s"names the result of call $number, which is not before it")

  private[this] def value(of: RecordedValue): AnyRef = of match {
    case Plain(value)     => value.asInstanceOf[AnyRef]
    case Items(values)    => new java.util.ArrayList(values.map(value).asJava)
    case OfCall(number)   => result(number)
    case Frame(number)    => made.getOrElseUpdate(number, at("DataFrame", frames, number)())
    case OfColumn(number) => at("column", columns, number)()
    case Ddl(text)        => StructType.fromDDL(text)
    case Session          => session
    case Schema(json)     =>
      Replay.schema(json).getOrElse(RecordedCalls.refuse("contains an invalid schema"))
  }

  private[this] def at[A](what: String, values: IndexedSeq[A], number: Int): A =
    if (number < values.size) values(number)
    else RecordedCalls.refuse(s"names $what $number, and brings ${values.size}")
}

private[sparkwindowing] object Replay {
  private val mapper = new ObjectMapper
  private val nodes  = JsonNodeFactory.instance

  private def schema(json: String): Option[StructType] =
    try
      DataType.fromJson(json) match {
        case schema: StructType => Some(schema)
        case _                  => None
      }
    catch { case _: RuntimeException => None }

  private def json(value: AnyRef): String = mapper.writeValueAsString(node(value))

  private def node(value: Any): JsonNode = value match {
    case null                    => nodes.nullNode
    case text: String            => nodes.textNode(text)
    case flag: Boolean           => nodes.booleanNode(flag)
    case number: Number          => nodes.numberNode(number.longValue)
    case schema: StructType      => mapper.readTree(schema.json)
    case list: java.util.List[_] =>
      val array = nodes.arrayNode
      list.asScala.foreach(item => array.add(node(item)))
      array
    case _ => RecordedCalls.refuse("asks for a value that is neither a DataFrame nor plain: call .aggregate(..) first")
  }
}
