package dev.sparkwindowing.interop

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.TumblingEventTimeWindows
import dev.sparkwindowing.spark.plan.KeyedInput
import dev.sparkwindowing.spark.{BuildInfo, Event, SharedSpark}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration
import scala.jdk.CollectionConverters._

/** A message gives what the Scala API gives; one that asks for anything else does nothing. */
class MessageSpec extends AnyFunSuite with SharedSpark {
  import MessageSpec._

  private lazy val events = {
    Gateway.attach(spark)
    spark.createDataFrame(Seq(Event.at("a", 1, 1000), Event.at("a", 2, 2000)))
  }
  private def columns = Seq(col("key"), col("ts"), sum("value").as("n"))
  private def direct  = SparkWindowing
    .keyBy(events, Seq(col("key")), Some(col("ts")))
    .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
    .aggregate(sum("value").as("n"))

  private def answer(json: String, of: DataFrame, columns: Seq[Column], resolved: Seq[KeyedInput]): AnyRef =
    Gateway.answer(spark, json, java.util.Arrays.asList(of), columns.asJava, resolved.asJava)

  private def frame(
      json: String,
      of: => DataFrame = events,
      columns: Seq[Column] = columns,
      resolved: Seq[KeyedInput] = Nil
  ): DataFrame = answer(json, of, columns, resolved).asInstanceOf[DataFrame]

  private def value(json: String, of: DataFrame = events): String =
    answer(json, of, columns, Nil).asInstanceOf[String]

  private def resolved(rows: String, columns: Seq[Column] = columns): KeyedInput =
    answer(message("resolve", s""""rows": $rows"""), events, columns, Nil)
      .asInstanceOf[java.util.List[KeyedInput]]
      .get(0)

  private def refusal(json: String): String = intercept[IllegalArgumentException] {
    def untouched[A]: () => A = () => throw new AssertionError("a DataFrame or a column was made")
    Answers.of(
      Message.read(json),
      new Beside.Plans(spark, IndexedSeq(untouched[LogicalPlan]), IndexedSeq(untouched[Column]))
    )
  }.getMessage

  test("a declaration") {
    val result = frame(declared(Rows, Windows, Compute))
    assert(result.collect().toSeq == direct.collect().toSeq)
    assert(result.columns.toSeq == Seq("key", "window", "n"))
  }

  test("each declaration has its own rows, keys and time") {
    val json                   = declared(Rows, Windows, Compute)
    def totals(of: DataFrame*) = of.flatMap(_.select("n").collect().map(_.getLong(0)))
    val (first, again)         = (frame(json), frame(json))
    val other                  = frame(json, events.where("value = 2"))
    val keyless                = frame(declared(NoKeys.replace("null", """{"column": 1}"""), Windows, Compute))
    assert(totals(first, again, other) == Seq(3, 3, 2))
    assert(keyless.columns.toSeq == Seq("window", "n"))
    assert(totals(first.join(again, Seq("key", "n"))) == Seq(3))
  }

  test("keys and times are resolved by each message, and once by a message for later ones") {
    def set(zone: String) = spark.conf.set("spark.sql.session.timeZone", zone)
    val time              = Seq(col("key"), to_timestamp(lit("2024-01-01 00:00:00")), max("ts").as("n"))
    def start(rows: String, earlier: KeyedInput*): Long =
      frame(declared(rows, Windows, Compute), events, time, earlier)
        .select(unix_seconds(col("window.start")))
        .head()
        .getLong(0)
    try {
      set("Asia/Tokyo")
      val tokyo   = start(Rows)
      val earlier = resolved(Rows, time)
      set("UTC")
      assert(start(Rows) - tokyo == 9 * 3600)
      assert(start("""{"resolved": 0}""", earlier) == tokyo)
    } finally set("UTC")
  }

  test("resolved rows are one input of several") {
    val (a, b) = (resolved(Rows), resolved(Rows))
    val both   = """{"inputs": [["a", {"resolved": 0}], ["b", {"resolved": 1}]]}"""
    val joined = frame(declared(both, Windows, """{"join": "inner"}"""), resolved = Seq(a, b))
    assert(joined.columns.toSeq == Seq("key", "window", "a", "b"))
    assert(joined.count() == 4)
    val alone = declared("""{"resolved": 0}""", Windows, """{"join": "inner"}""")
    assert(intercept[IllegalArgumentException](frame(alone, resolved = Seq(a))).getMessage == "a join takes two inputs")
  }

  test("the frame of one message is that of another") {
    val tagged = Windows.dropRight(1) + """, "side_output_late_data": "late"}"""
    val result = frame(declared(Rows, tagged, Compute))
    val late   = message("side_output", """"result": {"frame": 0}, "tag": "late"""")
    val rows   = frame(late, result)
    assert(rows.columns.toSeq.startsWith(Seq("key", "value", "ts")))
  }

  test("a text, names, a schema and null") {
    val result              = direct
    def asked(name: String) = value(message(name, """"result": {"frame": 0}"""), result)
    assert(asked("explain").contains("TumblingEventTimeWindows(10 s)"))
    assert(asked("input_names") == "[]")
    assert(asked("python_function_id") == "null")
    assert(asked("input_schema").startsWith("""{"type":"struct","fields":[{"name":"key""""))
    assert(value(message("schema", """"ddl": "a int"""")).contains(""""name":"a""""))
  }

  test("a check says what is wrong so far, and nothing of what is to come") {
    def check(parts: String) = value(message("check", s""""declaration": {$parts}"""))
    val negative             = Windows.dropRight(1) + """, "allowed_lateness": {"ms": -1}}"""
    assert(check(s""""rows": $Rows""") == "null")
    assert(check(s""""rows": $Rows, "windows": $Windows""") == "null")
    val late = intercept[IllegalArgumentException](check(s""""rows": $Rows, "windows": $negative"""))
    assert(late.getMessage.contains("lateness"))
    val timeless = Rows.replace("""{"column": 1}""", "null")
    assert(check(s""""rows": $timeless""") == "null")
    val refused = intercept[IllegalArgumentException](check(s""""rows": $timeless, "windows": $Windows"""))
    assert(refused.getMessage.contains("needs an event time"))
  }

  test("windows without a function on them, and the other way around") {
    def refused(parts: String) = intercept[IllegalArgumentException](
      frame(message("result", s""""declaration": {"rows": $Rows, $parts}"""))
    ).getMessage
    assert(refused(s""""compute": $Compute""") == "there are no windows: call .window(..) first")
    val emits   = part("columns.Do", "of", """null, {"column": 0}, null, null, [], []""")
    val process = part("columns.ColumnProcess", "of", s"""$emits, null, null, null, null, "event_time"""")
    assert(
      refused(s""""windows": $Windows, "compute": {"process": $process}""") ==
        "process on single rows takes no windows"
    )
  }

  test("a refusal passes unchanged") {
    val json = declared(Rows.replace("late", "never"), Windows, Compute)
    assert(intercept[IllegalArgumentException](frame(json)).getMessage.contains("never"))
  }

  for (
    (what, json, said) <- Seq(
      ("no JSON", "key_by", "is not JSON"),
      ("nothing", "", "is no JSON object"),
      ("a list", "[]", "is no JSON object"),
      ("no question", versioned(""""result": null"""), "asks nothing"),
      ("a question not on the list", message("attach"), "asks 'attach', which is not on the list"),
      ("another protocol", message("version").replace("\"protocol\": 2", "\"protocol\": 1"), "(protocol 1)"),
      ("another version", message("version").replace(BuildInfo.version, "0.0.9"), "the client has 0.0.9"),
      ("no version", """{"ask": "version"}""", "the client has none"),
      ("lists inside lists", message("explain", "\"result\": " + "[" * 100 + "]" * 100), "is nested deeper than 64"),
      ("objects inside objects", message("explain", "\"result\": " + """{"a":""" * 80 + "1" + "}" * 80), "than 64"),
      ("too long a text", message("schema", "\"ddl\": \"" + "a" * Message.MaxLength + "\""), "are allowed"),
      ("no frame", message("explain"), "has no number for frame"),
      ("no such frame", message("explain", """"result": {"frame": 1}"""), "names DataFrame 1, and brings 1"),
      ("a negative number", message("explain", """"result": {"frame": -1}"""), "has no number for frame"),
      ("a number out of range", message("explain", """"result": {"frame": 4294967296}"""), "no number for frame"),
      (
        "no such column",
        declared(Rows.replace("column\": 0", "column\": 7"), Windows, Compute),
        "column 7, and brings 1"
      ),
      ("no such rows", declared("""{"resolved": 0}""", Windows, Compute), "names resolved rows 0, and brings 0"),
      ("no rows", message("result", """"declaration": {}"""), "has no object where one is expected"),
      ("an unknown part", message("result", """"declaration": {"row": 1}"""), "has an unknown field row"),
      ("an unknown setting", ofWindows(Windows.replace("}}", "}, \"pane\": true}")), "has an unknown field pane"),
      (
        "an unknown option of a setting",
        ofWindows(Windows.replace("}}", "}, \"changelog\": {\"after\": true}}")),
        "has an unknown field after"
      ),
      ("an unknown computation", declared(NoKeys, Windows, """{"median": "a"}"""), "has an unknown field median"),
      (
        "an unknown join",
        declared(s"""{"inputs": [["a", $NoKeys]]}""", Windows, """{"join": "outer"}"""),
        "join: outer"
      ),
      ("a join of one input", declared(NoKeys, Windows, """{"join": "inner"}"""), "joins rows of one input"),
      ("two computations", declared(NoKeys, Windows, """{"sum": "a", "max": "a"}"""), "has several computations"),
      ("a join and more", declared(NoKeys, Windows, """{"join": "inner", "sum": "a"}"""), "has an unknown field sum"),
      ("a field of no question", message("version", """"tag": "late""""), "has an unknown field tag"),
      ("a duration out of range", ofAssigner("""{"time_window": [{"ms": 18446744073709551617}]}"""), "invalid value"),
      ("a flag that is none", ofWindows("""{"assigner": 1, "with_pane": 1}"""), "has no WindowAssigner in assigner: 1"),
      (
        "a trigger as assigner",
        ofWindows(s"""{"assigner": ${part("triggers.NeverTrigger", "create")}}"""),
        "no Window"
      ),
      ("an unknown value", ofAssigner("""{"runtime": "java.lang.Runtime"}"""), "contains an invalid value"),
      ("two kinds at once", ofAssigner("""{"frame": 0, "column": 0}"""), "contains an invalid value"),
      ("three sizes", ofAssigner("""{"time_window": [{"ms": 1}, {"ms": 1}, {"ms": 1}]}"""), "neither one nor two"),
      ("a count that is none", ofAssigner("""{"count_window": ["a"]}"""), "other values than size, slide"),
      ("no schema", keyed(""""schema": {"schema": {"type": "array"}}"""), "KeyedProcessFunction"),
      ("a class that is no part", ofAssigner(outside("java.lang.Runtime", "getRuntime")), "is no part of a window"),
      (
        "a class with nearly the name",
        ofAssigner(part("watermarks.WatermarkStrategyOfMine", "of")),
        "is no part of a window"
      ),
      ("a method of a companion", ofAssigner(part("assigners.GlobalWindows", "notifyAll")), "has no factory"),
      (
        "a class of Java as a user's part",
        ofAssigner(part("interop.ClassParts", "make", s"\"${Touched.name}\", []")),
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

object MessageSpec {

  private val Rows =
    """{"frame": {"frame": 0}, "keys": [{"column": 0}], "time": {"column": 1}, "on_missing_time": "late"}"""
  private val NoKeys  = """{"frame": {"frame": 0}, "keys": [], "time": null, "on_missing_time": "late"}"""
  private val Windows = s"""{"assigner": {"time_window": [{"ms": 10000}]}, "trigger": ${part(
      "triggers.EventTimeTrigger",
      "create"
    )}}"""
  private val Compute = """{"aggregate": [{"column": 2}]}"""

  private def versioned(rest: String) = s"""{"protocol": 2, "version": "${BuildInfo.version}", $rest}"""

  private def message(ask: String, fields: String*) = versioned((s""""ask": "$ask"""" +: fields).mkString(", "))

  private def declared(rows: String, windows: String, compute: String) =
    message("result", s""""declaration": {"rows": $rows, "windows": $windows, "compute": $compute}""")

  private def ofWindows(windows: String) = declared(NoKeys, windows, """{"sum": "value"}""")

  private def ofAssigner(assigner: String) = ofWindows(s"""{"assigner": $assigner}""")

  private def keyed(more: String) = message(
    "result",
    s""""declaration": {"rows": $NoKeys, "compute": {"process": ${part("triggers.NeverTrigger", "create")}, $more}}"""
  )

  private def part(name: String, method: String, arguments: String = "") =
    outside(s"dev.sparkwindowing.$name", method, arguments)

  private def outside(name: String, method: String, arguments: String = "") =
    s"""{"class": "$name", "method": "$method", "arguments": [$arguments]}"""
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
