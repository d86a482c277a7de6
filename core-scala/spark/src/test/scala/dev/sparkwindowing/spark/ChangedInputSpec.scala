package dev.sparkwindowing.spark

import dev.sparkwindowing.assigners.{EventTimeSessionWindows, TumblingEventTimeWindows, WindowAssigner}
import dev.sparkwindowing.columns.{
  ColumnAggregateFunction,
  ColumnDelta,
  ColumnEvictor,
  ColumnState,
  ColumnTrigger,
  RowParts,
  TriggerAnswer
}
import dev.sparkwindowing.evictors.CountEvictor
import dev.sparkwindowing.functions.ProcessWindowFunction
import dev.sparkwindowing.spark.analysis.Analysis
import dev.sparkwindowing.spark.declared.{Computed, Declaration, DeclaredRows}
import dev.sparkwindowing.triggers.{AnyTrigger, CountTrigger, PurgingTrigger}
import dev.sparkwindowing.{KeyedStream, SparkWindowing, WindowedStream}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow

import java.time.Duration.{ofHours, ofSeconds}

/** Every part of a query that remembers something between micro-batches, and every change of a query that looks
  * harmless: behind the restart the results are those of a query that was so from the start, or the change is refused
  * by name.
  */
@Slow
class ChangedInputSpec extends AnyFunSuite with SharedSpark {
  import ChangedInputSpec._
  import Event.at

  test("a delta trigger compares rows that were kept before a late side output was added") {
    def query(late: Boolean): DataFrame => DataFrame = { events =>
      val windows = SparkWindowing
        .keyBy(events, Seq(col("key")))
        .window(TumblingEventTimeWindows.of(ofHours(1)))
        .trigger(ColumnDelta.trigger(10, col("new.value") - col("old.value")))
      (if (late) windows.sideOutputLateData("late") else windows).aggregate(count(lit(1)).as("n"))
    }
    def fires(on: Changing, values: Int*): Seq[Int] =
      values.filter(v => on.driven.batch(at("a", v, v * 1000L)).nonEmpty)

    Changing(spark)(query(late = false)) { through =>
      assert(fires(through, 0, 5, 20, 21, 22, 23, 45, 46) == Seq(20, 45))
    }
    Changing(spark)(query(late = false)) { c =>
      assert(fires(c, 0) == Nil)
      c.to(query(late = true))
      assert(fires(c, 5, 20, 21, 22, 23, 45, 46) == Seq(20, 45))
    }
  }

  // Little for each of the many queries to do.
  private lazy val lean: SparkSession = {
    val own = spark.newSession()
    own.conf.set("spark.sql.shuffle.partitions", "1")
    own
  }

  // A fifth of the changes for each part, in turn, so that each change meets several parts.
  private def of(part: Int): Seq[Change] =
    if (Cases.areAll) changes
    else changes.zipWithIndex.collect { case (change, i) if (i + part) % 5 == 0 => change }

  // Values of the key `a`, a micro-batch each: before the change, and behind it.
  private val before = Seq(Seq(1, 12, -5))
  private val after  = Seq(Seq(-17), Seq(30, 8, 25))

  private def rows(c: Changing, batches: Seq[Seq[Int]]): Seq[Seq[String]] =
    batches.map(values => WindowText.of(c.driven.batch(values.map(v => at("a", v, 1000L)): _*)))

  private def ended(c: Changing): Seq[Seq[String]] = rows(c, after) :+ WindowText.of(c.driven.watermark(100000))

  /** The results of a query that was so from the start, behind the rows that come before a change. No change here
    * concerns the results, so one run is that of each of them.
    */
  private def fromTheStart(query: DataFrame => DataFrame): Seq[Seq[String]] = {
    var results = Seq.empty[Seq[String]]
    Changing(lean)(query) { c =>
      rows(c, before)
      results = ended(c)
    }
    results
  }

  for ((part, number) <- parts.zipWithIndex)
    test(s"${part.name}: each change is taken with the right results, or refused by name") {
      val expected = fromTheStart(part.query(Same))
      val tried    = of(number)
      val taken    = tried.filter { change =>
        val changed = part.query(change)
        var isTaken = false
        Changing(lean)(part.query(Same)) { c =>
          rows(c, before)
          val outcome = Changing.outcome {
            c.to(changed)
            ended(c)
          }
          outcome match {
            case Right(got) =>
              isTaken = true
              assert(got == expected, s"${part.name}, ${change.name}")
            case Left(error) =>
              assert(error.contains("the query was changed since its checkpoint was written"), change.name)
              assert(error.contains("Changed: "), change.name)
          }
        }
        isTaken
      }
      assert(taken.map(_.name) == tried.filter(part.takes).map(_.name))
    }
}

private object ChangedInputSpec {

  /** A change of what is below the windows, or of what is put out beside them. */
  sealed abstract class Change(val name: String, val input: DataFrame => DataFrame) {
    def windows(w: WindowedStream): WindowedStream = w
  }

  private def columns(names: String*)(df: DataFrame): DataFrame = df.select(names.map(col): _*)

  case object Same       extends Change("nothing", identity)
  case object AddedLast  extends Change("a column more, behind the others", _.withColumn("more", lit(7L)))
  case object AddedFirst extends Change("a column more, before the others", _.select(lit(7L).as("more"), col("*")))
  case object Dropped    extends Change("a column less", _.drop("note"))
  case object Renamed    extends Change("a column renamed", _.withColumnRenamed("note", "remark"))
  case object RenamedValue
      extends Change("the column of the values computed anew", _.withColumn("value", col("value") + lit(0)))
  case object Reordered extends Change("the columns in another order", columns("note", "ts", "value", "key"))
  case object Wider     extends Change("a column of a wider type", _.withColumn("value", col("value").cast("bigint")))
  case object FunctionBelow
      extends Change("a function below", _.where(col("value") > -1000).withColumn("note", lit("x")))
  case object LateOutput extends Change("a late side output", identity) {
    override def windows(w: WindowedStream): WindowedStream = w.sideOutputLateData("late")
  }
  case object Lateness extends Change("a longer lateness", identity) {
    override def windows(w: WindowedStream): WindowedStream = w.allowedLateness(ofSeconds(30)).allowStateChange()
  }

  val changes: Seq[Change] =
    Seq(
      Same,
      AddedLast,
      AddedFirst,
      Dropped,
      Renamed,
      RenamedValue,
      Reordered,
      Wider,
      FunctionBelow,
      LateOutput,
      Lateness
    )

  /** Something that remembers, and the changes that it takes. */
  final case class Part(
      name: String,
      takes: Set[Change],
      build: WindowedStream => DataFrame,
      assigner: WindowAssigner[InternalRow] = TumblingEventTimeWindows.of(ofSeconds(60))
  ) {
    def query(change: Change): DataFrame => DataFrame = { events =>
      val input =
        change.input(events.select(col("key"), col("value"), col("ts"), concat(col("key"), lit("!")).as("note")))
      val keyed: KeyedStream = SparkWindowing.keyBy(input, Seq(col("key")))
      build(change.windows(keyed.window(assigner)))
    }
  }

  private val n = count(lit(1)).as("n")

  /** Puts out the values of a window. */
  final class Values extends ProcessWindowFunction[Row, Row, Row] {
    import dev.sparkwindowing.functions.Collector
    def process(key: Row, context: ProcessWindowFunction.Context, elements: Iterable[Row], out: Collector[Row]): Unit =
      out.collect(Row(elements.map(_.getAs[Number]("value").longValue).mkString(",")))
  }

  private val all: Set[Change]    = changes.toSet
  private val narrow: Set[Change] = all - Wider

  // Of a part that sees the whole row all columns count.
  private val sameColumns: Set[Change] = Set(Same, RenamedValue, FunctionBelow, LateOutput, Lateness)

  val parts: Seq[Part] = Seq(
    Part(
      "delta trigger",
      narrow,
      w => w.trigger(ColumnDelta.trigger(10, col("new.value") - col("old.value"))).aggregate(n)
    ),
    Part(
      "delta trigger in a composite",
      narrow,
      w =>
        w.trigger(
          AnyTrigger
            .of(CountTrigger.of(3), PurgingTrigger.of(ColumnDelta.trigger(10, col("new.value") - col("old.value"))))
        ).aggregate(n)
    ),
    Part(
      "column trigger with a state",
      narrow,
      w =>
        w.trigger(
          ColumnTrigger.of(
            state = struct(lit(null).cast("void").as("last")),
            onElement = TriggerAnswer.of(
              fire = col("state.last") < col("element.value"),
              state = struct(col("element.value").as("last"))
            )
          )
        ).aggregate(n)
    ),
    Part(
      "count evictor",
      narrow,
      w => w.trigger(CountTrigger.of(2)).evictor(CountEvictor.of(2)).aggregate(collect_list("value"))
    ),
    Part(
      "delta evictor",
      narrow,
      w =>
        w.trigger(CountTrigger.of(2))
          .evictor(ColumnDelta.evictor(10, col("last.value") - col("element.value"), false))
          .aggregate(n)
    ),
    Part(
      "column evictor",
      narrow,
      w =>
        w.trigger(CountTrigger.of(2))
          .evictor(ColumnEvictor.keep(col("element.value") > 0, false))
          .aggregate(sum("value"))
    ),
    Part(
      "evictor on Row",
      sameColumns,
      w => w.trigger(CountTrigger.of(2)).evictor(RowParts.evictor(new Without(12))).aggregate(n)
    ),
    Part("sum", all, w => w.trigger(CountTrigger.of(2)).aggregate(sum("value"))),
    Part("sum at the end", all, w => w.aggregate(sum("value"))),
    Part("sum of sessions", all, w => w.aggregate(sum("value")), EventTimeSessionWindows.withGap(ofSeconds(60))),
    Part("max", narrow, w => w.trigger(CountTrigger.of(2)).aggregate(max("value"))),
    Part("list", narrow, w => w.trigger(CountTrigger.of(2)).aggregate(collect_list("value"))),
    Part("min_by", sameColumns, w => w.trigger(CountTrigger.of(2)).minBy("value").select("key", "window", "value")),
    Part(
      "reduce",
      sameColumns,
      w =>
        w.trigger(CountTrigger.of(2))
          .reduce(when(col("a.value") > col("b.value"), col("a")).otherwise(col("b")))
          .select("key", "window", "value")
    ),
    Part(
      "aggregate function of columns",
      narrow,
      w =>
        w.trigger(CountTrigger.of(2))
          .aggregate(
            ColumnAggregateFunction.of(
              struct(lit(null).cast("void").as("top")),
              struct(greatest(col("acc.top"), col("row.value")).as("top")),
              null,
              col("acc.top")
            )
          )
    ),
    Part(
      "process function",
      sameColumns,
      w => w.trigger(CountTrigger.of(2)).process(new Values, StructType.fromDDL("l string"))
    ),
    Part(
      "global state",
      narrow,
      w =>
        Analysis
          .of(Declaration(DeclaredRows.Resolved(w.input), Some(w.trigger(CountTrigger.of(2)).rules), states))
          .select(col("key"), col("window"), col("#window_state"), col("#global_state"))
    )
  )

  private def states = Computed.PythonProcessed(
    Some(Computed.Aggregates(Seq(max("value").as("top")))),
    "states",
    StructType.fromDDL("top bigint"),
    Nil,
    Some(topState),
    Some(topState)
  )

  private def topState = ColumnState.of(struct(lit(null).cast("void").as("top")), struct(col("result.top").as("top")))
}
