package dev.sparkwindowing.spark

import dev.sparkwindowing.assigners.TumblingEventTimeWindows
import dev.sparkwindowing.functions.{Collector, ProcessWindowFunction, SideOutput}
import dev.sparkwindowing.{SparkWindowing, WindowedStream}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration

/** Names of a result that are one to Spark are refused when it is declared; where upper and lower case differ they are
  * two.
  */
class OutputNamesSpec extends AnyFunSuite with SharedSpark {

  private val minding: SparkSession => SparkSession = { spark =>
    val own = spark.newSession()
    own.conf.set("spark.sql.caseSensitive", "true")
    own
  }

  private def rows(on: SparkSession): DataFrame = on.createDataFrame(Seq(Event.at("a", 1, 1000)))

  private def windows(df: DataFrame, key: String = "key"): WindowedStream = SparkWindowing
    .keyBy(df, Seq(col("key").as(key)), Some(col("ts")))
    .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))

  private def n = count(lit(1)).as("n")

  private def sided(df: DataFrame, sides: SideOutput*): DataFrame = windows(df).process(
    new Silent,
    StructType.fromDDL("n int"),
    sides: _*
  )

  private def side(tag: String, schema: String = "n int") = SideOutput(tag, StructType.fromDDL(schema))

  // What must be one name, by the part of the error that names it.
  private val clashes: Seq[(String, String, DataFrame => DataFrame)] = Seq(
    ("a key and the window", "'Window' and 'window'", df => windows(df, "Window").aggregate(n)),
    ("a key and an aggregate", "'k' and 'K'", df => windows(df, "k").aggregate(n.as("K"))),
    ("two aggregates", "'n' and 'N'", df => windows(df).aggregate(n, n.as("N"))),
    ("the pane and an aggregate", "'pane' and 'Pane'", df => windows(df).withPane().aggregate(n.as("Pane"))),
    ("a kind of change and an aggregate", "'Op' and 'op'", df => windows(df).changelog().aggregate(n.as("Op"))),
    ("a key and a sequence", "'Sequence' and 'sequence'", df => windows(df, "Sequence").changelog().aggregate(n)),
    ("the main output and a tag", "'Main'", df => windows(df).sideOutputLateData("Main").aggregate(n)),
    ("the tag column and a tag", "'OUTPUT'", df => sided(df, side("OUTPUT"))),
    ("two tags", "'odd' and 'Odd'", df => sided(df, side("odd"), side("Odd"))),
    (
      "late rows and a tag",
      "'late' and 'Late'",
      { df =>
        val w = windows(df).sideOutputLateData("late")
        w.process(new Silent, StructType.fromDDL("n int"), side("Late"))
      }
    ),
    (
      "what late rows carry",
      "'late_by_ms'",
      { df =>
        windows(df.withColumn("Late_By_Ms", lit(1))).sideOutputLateData("late").aggregate(n)
      }
    ),
    ("columns of a side output", "'a' and 'A'", df => sided(df, side("odd", "a int, A int")))
  )

  for ((what, named, declare) <- clashes) {
    test(s"$what: refused with both names") {
      val e = intercept[IllegalArgumentException](declare(rows(spark)))
      assert(e.getMessage.contains(named), e)
    }
    test(s"$what: two names where upper and lower case differ, also if another session is active") {
      val own    = minding(spark)
      val before = SparkSession.getActiveSession
      SparkSession.setActiveSession(spark)
      try declare(rows(own)).collect()
      finally before.fold(SparkSession.clearActiveSession())(SparkSession.setActiveSession)
    }
  }
}

final class Silent extends ProcessWindowFunction[Row, Row, Row] {
  def process(k: Row, c: ProcessWindowFunction.Context, in: Iterable[Row], out: Collector[Row]): Unit = ()
}
