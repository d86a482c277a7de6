package dev.sparkwindowing.spark

import dev.sparkwindowing.assigners.TumblingEventTimeWindows
import dev.sparkwindowing.functions.{Collector, KeyedProcessFunction, ProcessWindowFunction}
import dev.sparkwindowing.spark.links.OperatorSetting
import dev.sparkwindowing.{KeyedStream, SparkWindowing}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration.ofMillis
import scala.collection.mutable.ArrayBuffer

/** A step of a key goes on as its results are taken: a row or window is processed when the one before has left. */
class PulledResultsSpec extends AnyFunSuite with SharedSpark {
  import Event.at
  import PulledResultsSpec._

  private def keyed(events: DataFrame): KeyedStream =
    SparkWindowing.keyBy(events, Seq(col("key")), Some(col("ts")))

  private def calls(events: DataFrame): DataFrame = keyed(events).process(new Told, Schema)

  private def windows(events: DataFrame): DataFrame =
    keyed(events).window(TumblingEventTimeWindows.of(ofMillis(10))).process(new ToldWindow, Schema)

  private def taken(results: DataFrame): Seq[Row] = {
    val own = spark
    import own.implicits._
    results.select("n").as[Int].map(say("taken", _)).toDF().collect().toSeq
  }

  // One key in one task, else the lines of several would mix.
  private def told(work: => Unit): Seq[String] = Lines.synchronized {
    Lines.clear()
    work
    Lines.toList.distinct
  }

  private val InTurn = Seq("made 1", "taken 1", "made 2", "taken 2", "made 3", "taken 3")
  private val Rows   = Seq(at("a", 1, 5), at("a", 2, 15), at("a", 3, 25))

  for ((name, result) <- Seq[(String, DataFrame => DataFrame)]("calls" -> calls, "windows" -> windows)) {
    test(s"$name of a static DataFrame") {
      val own = spark
      import own.implicits._
      assert(told(taken(result(Rows.toDF().drop("tick")))) == InTurn)
    }

    for (operator <- Seq("native", "portable")) test(s"$name of a stream, $operator operator") {
      val own = spark.newSession()
      own.conf.set(OperatorSetting.Name, operator)
      val q = new DrivenQuery(own, read = taken)(result).start()
      try
        assert(told {
          q.batch(Rows: _*)
          q.watermark(1000)
        } == InTurn)
      finally q.stop()
    }
  }
}

object PulledResultsSpec {
  val Schema: StructType         = StructType.fromDDL("n int")
  val Lines: ArrayBuffer[String] = ArrayBuffer.empty[String]

  def say(what: String, value: Int): Int = {
    Lines += s"$what $value"
    value
  }

  private def put(value: Int, out: Collector[Row]): Unit = out.collect(Row(say("made", value)))

  final class Told extends KeyedProcessFunction[Row, Row, Row] {
    def processElement(row: Row, ctx: KeyedProcessFunction.Context[Row], out: Collector[Row]): Unit =
      put(row.getAs[Int]("value"), out)
  }

  final class ToldWindow extends ProcessWindowFunction[Row, Row, Row] {
    def process(key: Row, ctx: ProcessWindowFunction.Context, rows: Iterable[Row], out: Collector[Row]): Unit =
      put(rows.head.getAs[Int]("value"), out)
  }
}
