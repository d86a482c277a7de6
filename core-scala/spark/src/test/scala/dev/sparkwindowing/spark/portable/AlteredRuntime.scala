package dev.sparkwindowing.spark.portable

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.TumblingEventTimeWindows
import dev.sparkwindowing.spark.{DrivenQuery, Event, OwnJvm, SharedSpark, WindowText}
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

import java.time.Duration

/** A query in a JVM of its own, whose Spark has a changed class. Prints lines for the test that starts it. */
object AlteredRuntime {

  private def windows(events: DataFrame): DataFrame = SparkWindowing
    .keyBy(events, Seq(col("key")))
    .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
    .aggregate(sum("value").as("total"))

  def main(arguments: Array[String]): Unit = {
    val query = new DrivenQuery(SharedSpark.session)(windows)
    try {
      query.start()
      val first = query.batch(Event.at("a", 1, 2000), Event.at("b", 5, 3000))
      query.restart()
      val second = query.batch(Event.at("a", 2, 9999)) ++ query.watermark(20000)
      OwnJvm.say(s"results ${WindowText.of(first ++ second).mkString(", ")}")
      SparkWindowing.explain(windows(query.events)).linesIterator.filter(_.startsWith("operator")).foreach(OwnJvm.say)
    } finally query.stop()
    sys.exit(0)
  }
}
