package dev.sparkwindowing.interop

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.spark.plan.KeyedInput
import org.apache.spark.sql.{Column, DataFrame, SparkSession, SparkWindowingBridge}

import scala.jdk.CollectionConverters._

/** Entry point of Python in a session with a JVM: a [[Message]] with what stands beside it: DataFrames, columns, and
  * rows that were resolved.
  */
object Gateway {

  /** Version of the jar. */
  def version: String = SparkWindowing.version

  /** First Spark version that the jar runs on, such as "4.1". */
  def sparkLine: String = SparkWindowing.sparkLine

  /** Adds the planning of windows to a session; see [[SparkWindowing.attach]]. */
  def attach(spark: SparkSession): Unit = SparkWindowing.attach(spark)

  /** Answers a message by a DataFrame, a text of JSON, or a list of rows for later messages. Lists are null if nothing
    * of their kind stands beside it, as py4j needs several calls to make one.
    *
    * @param resolved
    *   rows that were answers
    * @throws java.lang.IllegalArgumentException
    *   if the message is refused; a refusal of what it asks for passes unchanged
    */
  def answer(
      spark: SparkSession,
      message: String,
      frames: java.util.List[DataFrame],
      columns: java.util.List[Column],
      resolved: java.util.List[KeyedInput]
  ): AnyRef = {
    val beside = new Beside.Frames(spark, all(frames), all(columns).map(column => () => column), all(resolved))
    Answers.of(Message.read(message), beside) match {
      case Answer.Frame(frame)   => frame
      case Answer.Plan(plan)     => SparkWindowingBridge.toDataFrame(spark, plan)
      case Answer.Value(json)    => json
      case Answer.Resolved(rows) => new java.util.ArrayList(java.util.Collections.singletonList(rows)) // a public class
    }
  }

  private def all[A](list: java.util.List[A]): IndexedSeq[A] =
    if (list == null) Vector.empty else list.asScala.toVector
}
