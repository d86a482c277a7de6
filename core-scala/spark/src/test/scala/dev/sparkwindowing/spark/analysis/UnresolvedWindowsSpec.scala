package dev.sparkwindowing.spark.analysis

import dev.sparkwindowing.assigners.TumblingEventTimeWindows
import dev.sparkwindowing.functions.JoinKind
import dev.sparkwindowing.spark.declared.{Computed, Declaration, DeclaredRows}
import dev.sparkwindowing.spark.plan.WindowRules
import dev.sparkwindowing.spark.{Event, SharedSpark}
import dev.sparkwindowing.{JoinedStreams, SparkWindowing}
import org.apache.spark.sql.catalyst.analysis.{UnresolvedRelation, UnresolvedStar}
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{AnalysisException, DataFrame, SparkWindowingBridge}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration

/** Windows over tables that are not there yet are resolved by Spark's analyzer. */
class UnresolvedWindowsSpec extends AnyFunSuite with SharedSpark {
  private val rules             = WindowRules(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
  private def keyed(frame: Int) = DeclaredRows.Keyed(frame, Seq(col("key")), Some(col("ts")))
  private def counted           =
    Declaration(keyed(0), Some(rules), Computed.Aggregates(Seq(count(lit(1)).as("n"), sum("value").as("total"))))
  private def paired =
    Declaration(
      DeclaredRows.Together(Seq("a" -> keyed(0), "b" -> keyed(1))),
      Some(rules),
      Computed.Joined(JoinKind.Full)
    )

  private def node(declaration: Declaration[Int], tables: String*) =
    UnresolvedWindows.over(declaration, tables.map(name => UnresolvedRelation(Seq(name))))

  private def table(name: String, events: Event*): DataFrame = {
    val df = spark.createDataFrame(events)
    df.createOrReplaceTempView(name)
    df
  }

  test("a table that is made after the declaration") {
    val declared = node(counted, "made_later")
    assert(!declared.resolved && declared.isInstanceOf[UnresolvedWindows])
    val events = table("made_later", Event.at("a", 1, 1000), Event.at("a", 2, 12000), Event.at("b", 3, 1000))
    val direct = SparkWindowing
      .keyBy(events, Seq(col("key")), Some(col("ts")))
      .window(rules.assigner)
      .aggregate(count(lit(1)).as("n"), sum("value").as("total"))
    val result = SparkWindowingBridge.toDataFrame(spark, declared)
    assert(result.schema == direct.schema)
    assert(result.collect().toSet == direct.collect().toSet)
  }

  test("two tables") {
    val declared = node(paired, "left_later", "right_later")
    val (a, b)   = (table("left_later", Event.at("a", 1, 1000)), table("right_later", Event.at("a", 5, 2000)))
    def stream(df: DataFrame) = SparkWindowing.keyBy(df, Seq(col("key")), Some(col("ts")))
    val joined: JoinedStreams = SparkWindowing.join(stream(a), stream(b), "a", "b")
    val result                = SparkWindowingBridge.toDataFrame(spark, declared)
    assert(result.collect().toSeq == joined.window(rules.assigner).full().collect().toSeq)
  }

  test("a view over the windows, and a query over the view") {
    table("viewed_later", Event.at("a", 1, 1000), Event.at("b", 3, 1000))
    SparkWindowingBridge.toDataFrame(spark, node(counted, "viewed_later")).createOrReplaceTempView("windows_of_it")
    assert(spark.sql("SELECT sum(n) FROM windows_of_it WHERE key = 'b'").head().getLong(0) == 1)
  }

  test("the mark by which Spark finds the columns of a client's DataFrame stays") {
    table("marked_later", Event.at("a", 1, 1000))
    val declared = node(counted, "marked_later")
    declared.setTagValue(mark, 7L)
    val analyzed =
      SparkWindowingBridge.analyzedPlan(SparkWindowingBridge.toDataFrame(spark, Project(Seq(star), declared)))
    assert(analyzed.children.map(_.getTagValue(mark)) == Seq(Some(7L)))
  }

  private val mark = TreeNodeTag[Long]("mark")
  private def star = UnresolvedStar(None)

  test("a table that never comes is Spark's error, and windows that do not fit are refused when it is there") {
    val missing = intercept[AnalysisException](SparkWindowingBridge.toDataFrame(spark, node(counted, "never_made")))
    assert(missing.getMessage.contains("never_made"))
    table("other_columns", Event.at("a", 1, 1000)).select("value").createOrReplaceTempView("without_key")
    val refused = intercept[Exception](SparkWindowingBridge.toDataFrame(spark, node(counted, "without_key")))
    assert(refused.getMessage.contains("key"))
  }
}
