package dev.sparkwindowing.live

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners._
import dev.sparkwindowing.columns.{AggregateTrigger, ColumnAggregateFunction, ColumnDelta, ColumnProcess, Do}
import dev.sparkwindowing.evictors.CountEvictor
import dev.sparkwindowing.spark.declared.{Computed, DeclaredRows}
import dev.sparkwindowing.spark.plan.WindowRules
import dev.sparkwindowing.triggers._
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration.ofMillis
import scala.util.Random

/** Every setting of a declaration in real-time mode: those that are served have the results of a simulation on a
  * running stream, the others are refused by name.
  */
class ServedSettingsSpec extends AnyFunSuite with LiveSpark {
  import ServedSettingsSpec._

  for ((setting, build) <- served) test(s"served: $setting") {
    val query = LiveCase(setting, delay = 4, rows, build)
    assert(query.live(spark, parts = 2) == query.simulated(spark))
  }

  for ((setting, (build, said)) <- refused) test(s"refused by name: $setting") {
    val query = LiveCase(setting, delay = 4, rows, build)
    val error = intercept[Exception](query.live(spark, parts = 1, count = 1))
    val all   = Iterator.iterate[Throwable](error)(_.getCause).takeWhile(_ != null).map(_.getMessage).mkString("\n")
    assert(all.contains(said))
  }

  test("every setting is in one of the two lists") {
    val computed = classOf[Computed.Aggregates].getEnclosingClass.getDeclaredClasses.toSeq
      .filter(c => classOf[Computed].isAssignableFrom(c) && !c.isInterface)
      .map(_.getSimpleName)
    val settings = fieldsOf(classOf[DeclaredRows.Keyed[_]]) ++ fieldsOf(classOf[DeclaredRows.Together[_]]) ++
      fieldsOf(classOf[WindowRules]) ++ computed
    // No setting, and one that only Python declares.
    val others = Set("frame", "PythonProcessed")
    assert(settings.toSet -- others == served.keySet.map(_.takeWhile(_.isLetter)) ++ refused.keySet)
  }
}

object ServedSettingsSpec {
  private def fieldsOf(of: Class[_]): Seq[String] =
    of.getDeclaredFields.toSeq.map(_.getName).filter(name => of.getMethods.exists(_.getName == name))

  private val random = new Random(1)

  /** Some are late. The last one completes all windows. */
  private val rows: Seq[(Long, Long, Long)] = {
    var time = 1000000L
    Seq.fill(60) {
      time += random.nextInt(6).toLong
      (random.nextInt(3).toLong, time - random.nextInt(20), random.nextInt(100).toLong - 5)
    } :+ ((9L, time + 100, 0L))
  }

  private def keyed(df: DataFrame) = SparkWindowing.keyBy(df, Seq(col("key")), Some(col("ts")))

  private val ten = TumblingEventTimeWindows.of(ofMillis(10))
  private val gap = EventTimeSessionWindows.withGap(ofMillis(6))

  private def windows(df: DataFrame) = keyed(df).window(ten)
  private def n                      = count(lit(1)).as("n")
  private def total                  = sum("value").as("total")

  private val served: Map[String, DataFrame => DataFrame] = Map(
    "keys, none" -> (df => SparkWindowing.windowAll(df, ten).aggregate(n, total)),
    "keys, two"  -> (df => SparkWindowing.keyBy(df, col("key"), expr("value % 2").as("odd")).window(ten).aggregate(n)),
    "time"       -> (df => SparkWindowing.keyBy(df, Seq(col("key")), Some(col("ts"))).window(gap).aggregate(total)),
    "onMissingTime" -> (df => keyed(df).onMissingTime("drop").window(ten).sideOutputLateData("late").aggregate(n)),
    "retracts"      -> (df => keyed(df).retracts("value % 10 = 3").window(ten).aggregate(n, total)),
    "assigner"      -> (df => keyed(df).window(SlidingEventTimeWindows.of(ofMillis(20), ofMillis(6))).aggregate(total)),
    "assigner names" -> (df => keyed(df).windows("ten" -> ten, "gap" -> gap, "3" -> CountWindows.of(3)).aggregate(n)),
    "chosenTrigger"  -> (df => windows(df).trigger(ContinuousEventTimeTrigger.of(ofMillis(3))).aggregate(total)),
    "chosenTrigger of the aggregate" ->
      (df => windows(df).trigger(AggregateTrigger.of(col("total") > 120)).aggregate(n, total)),
    "chosenTrigger of distances" -> { df =>
      val trigger = ColumnDelta.trigger(20.0, expr("new.value - old.value"))
      keyed(df).window(GlobalWindows.create()).trigger(trigger).aggregate(n)
    },
    "evictor"          -> (df => windows(df).evictor(CountEvictor.of(2)).aggregate(collect_list("value").as("all"))),
    "allowedLateness"  -> (df => windows(df).allowedLateness(ofMillis(15)).aggregate(n, total)),
    "lateTag"          -> (df => windows(df).sideOutputLateData("late").aggregate(n)),
    "pane"             -> (df => windows(df).allowedLateness(ofMillis(15)).withPane().aggregate(n)),
    "collapsesFirings" -> (df => windows(df).trigger(CountTrigger.of(1)).collapseFirings().aggregate(n)),
    "withRow"          -> { df =>
      keyed(df).window(OverEventTimeWindows.preceding(ofMillis(12))).withRow().aggregate(total)
    },
    "changelog"       -> (df => windows(df).allowedLateness(ofMillis(15)).changelog(before = true).aggregate(n)),
    "fillEmpty"       -> (df => windows(df).fillEmpty(ofMillis(40)).aggregate(n)),
    "Aggregates"      -> (df => windows(df).aggregate(collect_list("value").as("all"), max("value").as("most"))),
    "ColumnAggregate" -> { df =>
      val mean = ColumnAggregateFunction.of(
        expr("named_struct('n', 0, 'total', 0L)"),
        expr("named_struct('n', acc.n + 1, 'total', acc.total + row.value)"),
        expr("named_struct('n', a.n + b.n, 'total', a.total + b.total)"),
        expr("named_struct('mean', acc.total / acc.n)")
      )
      keyed(df).window(gap).aggregate(mean)
    },
    "RowAggregate"    -> (df => windows(df).aggregate(new Highest)),
    "ColumnReduced"   -> (df => windows(df).reduce(expr("IF(a.value > b.value, a, b)"))),
    "RowReduced"      -> (df => windows(df).reduce(new Latest)),
    "OfField"         -> (df => windows(df).sum("value")),
    "Processed"       -> (df => windows(df).process(new Ordered, StructType.fromDDL("all string"))),
    "ColumnProcessed" -> { df =>
      keyed(df).process(
        ColumnProcess.of(
          state = struct(lit(0).as("n")),
          onElement =
            Do.of(state = expr("struct(state.n + 1 as n)"), eventTimer = expr("row.ts + interval 7 milliseconds")),
          onEventTimer = Do.of(state = lit(null), emit = struct(expr("state.n").as("n")))
        )
      )
    },
    "RowProcessed" -> (df => keyed(df).process(new Silent, StructType.fromDDL("at bigint, n bigint")))
  )

  // A table, and an input with a watermark of its own.
  private def table(df: DataFrame) =
    df.sparkSession.range(0).selectExpr("id AS key", "timestamp_millis(id) AS ts", "id AS value")
  private def other(df: DataFrame) =
    keyed(new LiveQuery(df.sparkSession, RowLog.create(1), delay = 4)(identity).rows)

  private val refused: Map[String, (DataFrame => DataFrame, String)] = Map(
    "history" -> (
      (df: DataFrame) => keyed(df).startingWith(table(df)).window(ten).aggregate(n),
      "begin with no rows of a table"
    ),
    "inputs" -> (
      { (df: DataFrame) =>
        val inputs = SparkWindowing.coGroup("a" -> keyed(df), "b" -> other(df))
        inputs.window(ten).process(new Sizes, StructType.fromDDL("sizes string"))
      },
      "take one watermark, and the query has 2"
    ),
    "Joined" -> (
      (df: DataFrame) => SparkWindowing.join(keyed(df), other(df)).window(ten).left(),
      "take one watermark, and the query has 2"
    ),
    "allowsStateChange" -> (
      (df: DataFrame) => windows(df).allowStateChange().aggregate(n),
      "take over no state of another declaration"
    )
  )
}
