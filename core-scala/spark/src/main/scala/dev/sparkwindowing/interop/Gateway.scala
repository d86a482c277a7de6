package dev.sparkwindowing.interop

import dev.sparkwindowing.SparkWindowing
import org.apache.spark.sql.{Column, DataFrame, SparkSession, SparkWindowingBridge}

import scala.jdk.CollectionConverters._

/** Entry point of Python in a session with a JVM: a [[Message]] with the DataFrames and the columns beside it. */
object Gateway {

  /** Version of the jar. */
  def version: String = SparkWindowing.version

  /** First Spark version that the jar runs on, such as "4.1". */
  def sparkLine: String = SparkWindowing.sparkLine

  /** Adds the planning of windows to a session; see [[SparkWindowing.attach]]. */
  def attach(spark: SparkSession): Unit = SparkWindowing.attach(spark)

  /** The DataFrame that a message asks for.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the message is refused, or asks for another value; a refusal of what it asks for passes unchanged
    */
  def frame(
      spark: SparkSession,
      message: String,
      frames: java.util.List[DataFrame],
      columns: java.util.List[Column]
  ): DataFrame = answer(spark, message, frames, columns) match {
    case Answer.Frame(frame) => frame
    case Answer.Plan(plan)   => SparkWindowingBridge.toDataFrame(spark, plan)
    case Answer.Value(_)     => Message.refuse("asks for a value where a DataFrame is expected")
  }

  /** The value that a message asks for, as JSON.
    *
    * @throws java.lang.IllegalArgumentException
    *   as [[frame]]
    */
  def value(
      spark: SparkSession,
      message: String,
      frames: java.util.List[DataFrame],
      columns: java.util.List[Column]
  ): String = answer(spark, message, frames, columns) match {
    case Answer.Value(json) => json
    case _                  => Message.refuse("asks for a DataFrame where a value is expected")
  }

  private def answer(
      spark: SparkSession,
      message: String,
      frames: java.util.List[DataFrame],
      columns: java.util.List[Column]
  ) = Answers.of(
    Message.read(message),
    new Beside.Frames(spark, frames.asScala.toIndexedSeq, columns.asScala.toIndexedSeq)
  )
}
