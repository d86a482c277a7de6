package dev.sparkwindowing.spark

import dev.sparkwindowing.assigners._
import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.evictors.CountEvictor
import dev.sparkwindowing.operator.KeyedPlan
import dev.sparkwindowing.spark.checkpoint.{SpecJson, Specification}
import dev.sparkwindowing.spark.links.OperatorSetting
import dev.sparkwindowing.spark.outputs.SideOutputs
import dev.sparkwindowing.spark.plan._
import dev.sparkwindowing.spark.portable.PortableTimers
import dev.sparkwindowing.triggers.{AfterWatermark, CountTrigger}
import dev.sparkwindowing.{KeyedStream, SparkWindowing}
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration.ofSeconds
import scala.util.Try

/** A checkpoint depends on what is declared, on types and on codes, and on no text for people: `explain` and errors can
  * be worded anew.
  */
class SpecificationSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  // Codes in checkpoints, as they are for good. A new code is added, none is changed.
  private val codes = Set("windows", "slices", "process", "none", "portable", "event time", "processing time") ++
    Set("contents by timestamp", "contents and elements by timestamp", "elements by timestamp") ++
    Set("same micro-batch", "next micro-batch", "all elements")

  private val tumbling = TumblingEventTimeWindows.of(ofSeconds(10))
  private val over     = OverEventTimeWindows.preceding(ofSeconds(10))

  private def frame = spark.createDataFrame(Seq(at("a", 1, 1000)))
  private def keyed = SparkWindowing.keyBy(frame, Seq(col("key")), Some(col("ts")))

  private val results = Seq[(String, KeyedStream => DataFrame)](
    "tumbling" -> (_.window(tumbling).aggregate(sum("value").as("n"))),
    "sliding"  -> (_.window(SlidingEventTimeWindows.of(ofSeconds(20), ofSeconds(10))).aggregate(sum("value").as("n"))),
    "sessions" -> (_.window(EventTimeSessionWindows.withGap(ofSeconds(5))).withPane().aggregate(sum("value").as("n"))),
    "lists"    -> (_.window(tumbling).aggregate(collect_list("value").as("all"))),
    "an evictor"    -> (_.window(tumbling).evictor(CountEvictor.of[InternalRow](1)).aggregate(sum("value").as("n"))),
    "a trigger"     -> (_.window(tumbling).trigger(CountTrigger.of(3)).aggregate(sum("value").as("n"))),
    "early firings" -> (_.window(tumbling)
      .trigger(AfterWatermark.of(early = ofSeconds(2)))
      .aggregate(sum("value").as("n"))),
    "changes"                      -> (_.window(tumbling).changelog().aggregate(sum("value").as("n"))),
    "changes with the rows before" -> (_.window(tumbling).changelog(before = true).aggregate(sum("value").as("n"))),
    "over"                         -> (_.window(over).aggregate(sum("value").as("n"))),
    "over with its row"            -> (_.window(over).withRow().aggregate(sum("value").as("n"))),
    "over of lists"                -> (_.window(over).aggregate(collect_list("value").as("all"))),
    "over by rows"                 -> (_.window(OverEventTimeWindows.precedingRows(3)).aggregate(sum("value").as("n"))),
    "a function of keys"           -> (_.process(new Forget, StructType.fromDDL("n int")))
  )

  private def programOf(result: KeyedStream => DataFrame) = SideOutputs.nodeOf(result(keyed)).program

  private val timings = Seq[Option[WatermarkTiming]](
    None,
    Some(WatermarkTiming.SameBatch),
    Some(WatermarkTiming.NextBatch("one reason")),
    Some(WatermarkTiming.NextBatch("another, since it is one"))
  )

  private val operators =
    Nil +: Seq(PortableTimers.EventTime, PortableTimers.ProcessingTime, PortableTimers.None).map(_.specified)

  // All that the user has declared, and the types of its buffers, with those of the arguments of typed functions.
  private val declared = Set("assigner", "trigger", "evictor", "keys", "functions", "buffer")

  private def texts(spec: Spec): Seq[String] = spec match {
    case Spec.Text(text)      => Seq(text)
    case Spec.Items(values)   => values.flatMap(texts)
    case PartSpec(_, a, o, _) => (a ++ o).flatMap { case (_, value) => texts(value) }
    case _                    => Nil
  }

  for ((name, result) <- results) test(s"only codes and types beside the declaration: $name") {
    val program = programOf(result)
    for (timing <- timings; operator <- operators; fast <- Seq(true, false)) {
      val tree    = Specification.of(program, PreAggregation.of(program, fast), timing, operator).tree
      val unknown = tree.arguments
        .collect { case (argument, value) if !declared(argument) => texts(value) }
        .flatten
        .filterNot(codes)
        .filter(text => Try(CatalystSqlParser.parseDataType(text)).isFailure)
      assert(unknown.isEmpty, s"${SpecJson.write(tree)}: a text for people, or a new code")
    }
  }

  for ((name, result) <- results) test(s"reasons are not in it: $name") {
    val program                                                     = programOf(result)
    val Seq(_, same, one, two)                                      = timings
    def tree(path: PreAggregation, timing: Option[WatermarkTiming]) = Specification.of(program, path, timing).tree
    val slow                                                        = PreAggregation.RowByRow("one reason")
    assert(tree(slow, one) == tree(PreAggregation.RowByRow("another"), two))
    assert(tree(slow, one) != tree(slow, same), "the timing itself is in it")
  }

  // Over windows and functions of keys are never aggregated before the exchange, so that is no reason of theirs.
  for ((name, result) <- results) test(s"an error gives a reason for what is kept only if it decides: $name") {
    val path    = PreAggregation.RowByRow("one reason")
    val decides = !name.startsWith("over") && name != "a function of keys"
    val reason  = Specification.of(programOf(result), path, None).reasons.get("kept")
    assert(reason == (if (decides) Some(path.text) else None))
  }

  test("a query goes on though every reason that explain shows has changed") {
    val own  = spark.newSession()
    val slow = Seq(WatermarkTiming.Setting, PreAggregation.Setting)
    // Without empty micro-batches it can be seen which micro-batch a result comes in.
    own.conf.set("spark.sql.streaming.noDataMicroBatches.enabled", "false")
    slow.foreach(own.conf.set(_, "false"))
    val q       = new DrivenQuery(own, delay = None)(twoWatermarks)
    def reasons = SparkWindowing
      .explain(twoWatermarks(q.events))
      .linesIterator
      .toSeq
      .filter(line => Seq("fires", "operator", "path").exists(name => line.startsWith(s"$name: ")))
    val before = reasons
    try {
      q.start().batch(at("a", 1, 1000))
      q.stop()
      slow.foreach(own.conf.unset)
      own.conf.set(OperatorSetting.Name, "native")
      assert(before.size == 3 && before.intersect(reasons) == Nil)
      assert(Changing.outcome(q.start().batch(at("b", 1, 20000))) == Right(Nil))
      assert(WindowText.of(q.batch(at("c", 1, 21000))) == Seq("a [1000, 6000) 2"))
    } finally q.stop()
  }

  private def twoWatermarks(events: DataFrame): DataFrame = SparkWindowing
    .keyBy(events.withWatermark("ts", "0 seconds").union(events.withWatermark("ts", "1 second")), Seq(col("key")))
    .window(EventTimeSessionWindows.withGap(ofSeconds(5)))
    .aggregate(count(lit(1)).as("n"))

  test("the plan of a result is one value, and its code is in the specification") {
    for ((name, result) <- results) {
      val program = programOf(result)
      val path    = PreAggregation.of(program, enabled = true)
      val kept    = Specification.of(program, path, None).tree.arguments.toMap.apply("kept")
      assert(kept == Spec.Text(path.over(program.plan).code), name)
      assert((name == "sliding") == path.over(program.plan).isInstanceOf[KeyedPlan.Slices[_]], name)
    }
  }
}
