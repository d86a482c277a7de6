package dev.sparkwindowing.spark.connect

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.TumblingEventTimeWindows
import dev.sparkwindowing.interop.connect.{AllowedCalls, RecordedCalls, Replay}
import dev.sparkwindowing.spark.{BuildInfo, Event, SharedSpark}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration

/** Recorded calls give what the same calls give directly; a message that asks for anything else does nothing. */
class ReplaySpec extends AnyFunSuite with SharedSpark {
  import ReplaySpec._

  private lazy val events = spark.createDataFrame(Seq(Event.at("a", 1, 1000), Event.at("a", 2, 2000)))
  private def columns     = Seq(col("key"), col("ts"), sum("value").as("n"))
  private def direct      = SparkWindowing
    .keyBy(events, Seq(col("key")), Some(col("ts")))
    .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
    .aggregate(sum("value").as("n"))

  private def replayed(json: String, frames: Seq[DataFrame] = Seq(events)): Either[String, DataFrame] =
    new Replay(spark, frames.map(f => () => f).toIndexedSeq, columns.map(c => () => c).toIndexedSeq)
      .run(RecordedCalls.read(json))

  private def refusal(json: String): String = intercept[IllegalArgumentException] {
    def untouched[A]: () => A = () => throw new AssertionError("a DataFrame or column was made")
    new Replay(spark, IndexedSeq(untouched[DataFrame]), IndexedSeq(untouched[Column])).run(RecordedCalls.read(json))
  }.getMessage

  test("a declaration") {
    val Right(frame) = replayed(message(Declaration, """{"call": 4}""")): @unchecked
    assert(frame.collect().toSeq == direct.collect().toSeq)
    assert(frame.columns.toSeq == Seq("key", "window", "n"))
  }

  test("a text, names, a schema and null") {
    val result                = direct
    def value(method: String) =
      replayed(message(s"""[{"method": "$method", "arguments": [{"frame": 0}]}]""", """{"call": 0}"""), Seq(result))
    assert(value("explain").left.exists(_.contains("TumblingEventTimeWindows(10 s)")))
    assert(value("outputTags") == Left("[]"))
    assert(value("pythonFunctionId") == Left("null"))
    assert(value("inputSchema").left.exists(_.startsWith("""{"type":"struct","fields":[{"name":"key"""")))
    assert(replayed(message("[]", """{"ddl": "a int"}""")).left.exists(_.contains(""""name":"a"""")))
  }

  test("the refusal of a call passes unchanged, with the names of Python") {
    val json = message(Declaration.replace("\"late\"", "\"never\""), """{"call": 4}""")
    val said = intercept[IllegalArgumentException](replayed(json)).getMessage
    assert(said == "on_missing_time must be one of 'late', 'drop', 'fail', got 'never'")
  }

  test("each method that a message may call exists") {
    for ((of, methods) <- AllowedCalls.names; method <- methods)
      assert(of.getMethods.exists(_.getName == method), s"${of.getName} has no $method")
  }

  for (
    (what, json, said) <- Seq(
      ("no JSON", "key_by", "is not JSON"),
      ("nothing", "", "is no JSON object"),
      ("a list", "[]", "is no JSON object"),
      ("no calls", versioned(""""result": null"""), "has no list of calls"),
      ("no result", versioned(""""calls": []"""), "asks for no result"),
      ("another protocol", message("[]", "null").replace("\"protocol\": 1", "\"protocol\": 2"), "(protocol 2)"),
      ("another version", message("[]", "null").replace(BuildInfo.version, "0.0.9"), "the client has 0.0.9"),
      ("no version", """{"calls": [], "result": null}""", "the client has none"),
      ("lists inside lists", message("[]", "[" * 100 + "]" * 100), "is nested deeper than 64"),
      ("objects inside objects", message("[]", """{"list": [""" * 80 + "]}" * 80), "is nested deeper than 64"),
      ("too many calls", message(Seq.fill(20001)("{}").mkString("[", ",", "]"), "null"), "20000 are allowed"),
      ("too long a text", message("[]", "\"" + "a" * RecordedCalls.MaxLength + "\""), "are allowed"),
      ("a later call", message(call("explain", """{"call": 1}"""), "null"), "call 1, which is not before it"),
      ("itself", message("""[{"on": 0, "method": "withPane", "arguments": []}]""", "null"), "call 0, which is not"),
      ("no such frame", message(call("explain", """{"frame": 1}"""), "null"), "names DataFrame 1, and brings 1"),
      ("no such column", message("[]", """{"column": 7}"""), "names column 7, and brings 1"),
      ("a negative number", message("[]", """{"frame": -1}"""), "has no number for frame"),
      ("a number out of range", message("[]", """{"frame": 4294967296}"""), "has no number for frame"),
      (
        "a method not on the list",
        message(call("attach", """{"session": true}"""), "null"),
        "attach of SparkWindowing"
      ),
      ("a method of Object", message(call("getClass"), "null"), "getClass of SparkWindowing, which is not on the list"),
      ("a receiver without methods", onAssigner("toString"), "of GlobalWindows, which has no methods"),
      ("other arguments", message(call("version", "1"), "null"), "arguments that it does not take: (Long)"),
      ("null for what is needed", message(call("windowAll", "null", "null"), "null"), "does not take"),
      ("a result that stays there", message("[]", """{"session": true}"""), "asks for a value that is neither"),
      ("an unknown value", message("[]", """{"class": "java.lang.Runtime"}"""), "contains an invalid value"),
      ("two kinds at once", message("[]", """{"frame": 0, "column": 0}"""), "contains an invalid value"),
      ("no schema", message("[]", """{"schema": {"type": "array"}}"""), "contains an invalid schema"),
      ("a class that is no part", make("java.lang.Runtime", "getRuntime"), "java.lang.Runtime is no part of a window"),
      (
        "a class with nearly the name",
        make("dev.sparkwindowing.watermarks.WatermarkStrategyOfMine", "of"),
        "is no part of a window"
      ),
      ("a method of a companion", make("dev.sparkwindowing.assigners.GlobalWindows", "notifyAll"), "has no factory"),
      (
        "a class of Java as a user's part",
        make("dev.sparkwindowing.interop.ClassParts", "make", s"\"${Touched.name}\"", """{"list": []}"""),
        "is no WindowAssigner"
      )
    )
  ) test(s"refused before anything runs: $what") {
    val text = refusal(json)
    assert(text.contains(said))
    assert(text.length < 1000)
    assert(!Touched.isInitialised)
  }
}

object ReplaySpec {

  private def versioned(rest: String) = s"""{"protocol": 1, "version": "${BuildInfo.version}", $rest}"""

  private def message(calls: String, result: String) = versioned(s""""calls": $calls, "result": $result""")

  private def call(method: String, arguments: String*) =
    s"""[{"method": "$method", "arguments": [${arguments.mkString(", ")}]}]"""

  private def make(className: String, method: String, arguments: String*) =
    message(call("make", s"\"$className\"", s"\"$method\"", s"""{"list": [${arguments.mkString(", ")}]}"""), "null")

  private def onAssigner(method: String) = message(
    s"""[{"method": "make", "arguments": ["dev.sparkwindowing.assigners.GlobalWindows", "create", {"list": []}]},
       | {"on": 0, "method": "$method", "arguments": []}]""".stripMargin,
    "null"
  )

  private val Declaration =
    """[{"method": "keyBy", "arguments": [{"frame": 0}, {"list": [{"column": 0}]}, {"column": 1}, "late"]},
      | {"on": 0, "method": "timeWindow", "arguments": [{"ms": 10000}]},
      | {"method": "make", "arguments": ["dev.sparkwindowing.triggers.EventTimeTrigger", "create", {"list": []}]},
      | {"on": 1, "method": "trigger", "arguments": [{"call": 2}]},
      | {"on": 3, "method": "compute", "arguments": ["aggregate", {"list": [{"column": 2}]}]}]""".stripMargin
}

/** Tells whether the class beside it was initialised. */
object Touched {
  @volatile var isInitialised = false
  val name: String            = Touched.getClass.getPackage.getName + ".Initialised$"
}

/** A class that is no part of a window, and writes down that it was initialised. */
object Initialised {
  Touched.isInitialised = true
}
