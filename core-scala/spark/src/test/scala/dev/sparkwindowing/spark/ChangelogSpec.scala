package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing.simulate
import dev.sparkwindowing.api._
import dev.sparkwindowing.simulation.SimulationStep
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow

import scala.util.Random

/** Results as changes of a table with one row for each key and window. Times are milliseconds. */
@Slow
class ChangelogSpec extends AnyFunSuite with SharedSpark {
  import ChangelogSpec._

  private def static: DataFrame = spark.createDataFrame(Seq(Event.at("a", 1, 0)))

  private def keyed(df: DataFrame): KeyedStream = {
    val keyed = df.keyBy("key")
    if (df.isStreaming) keyed else keyed.eventTime("ts")
  }

  private def total = sum("value").as("n")

  private def at(time: Long, value: Int = 1, key: String = "a") = sim.element(key, value, time, false)

  /** Changes as `op window n sequence`, in order; a session that is gone has no n. */
  private def changes(windows: KeyedStream => WindowedStream, before: Boolean = false)(steps: SimulationStep*) = {
    val result = windows(keyed(static)).changelog(before).aggregate(total)
    texts(simulate(result, steps: _*).main.select("op", "window", "n", "sequence").collect().toSeq)
  }

  private def texts(rows: Seq[Row]) = rows.map(row => WindowText.of(Seq(row)).mkString)

  private val tumbling: KeyedStream => WindowedStream = _.window(TumblingEventTimeWindows.of("10 ms"))
  private val sessions: KeyedStream => WindowedStream = _.window(EventTimeSessionWindows.withGap("10 ms"))

  test("a window is inserted once and updated by each late row; its clean-up deletes nothing") {
    val steps = Seq(at(1), at(2), sim.watermark(10), at(3), sim.snapshotRestore(), at(4), at(15), sim.end())
    assert(
      changes(tumbling(_).allowedLateness("20 ms"))(steps: _*) ==
        Seq("+I [0, 10) 2 0", "+U [0, 10) 3 1", "+U [0, 10) 4 2", "+I [10, 20) 1 0")
    )
  }

  test("early firings, and the rows before: an even number and the odd one behind it") {
    val early = (k: KeyedStream) => tumbling(k).trigger(AfterWatermark.of(early = CountTrigger.of(2)))
    val steps = Seq(at(1), at(2), at(3), sim.snapshotRestore(), at(4), sim.end())
    assert(changes(early)(steps: _*) == Seq("+I [0, 10) 2 0", "+U [0, 10) 4 1", "+U [0, 10) 4 2"))
    assert(
      changes(early, before = true)(steps: _*) == Seq(
        "+I [0, 10) 2 1",
        "-U [0, 10) 2 2",
        "+U [0, 10) 4 3",
        "-U [0, 10) 4 4",
        "+U [0, 10) 4 5"
      )
    )
  }

  test("sessions that are merged are deleted before the one that they are part of is inserted, once") {
    val each  = (k: KeyedStream) => sessions(k).trigger(CountTrigger.of(1))
    val steps = Seq(at(0), at(20, 2), sim.snapshotRestore(), at(10, 4), at(12))
    assert(
      changes(each)(steps: _*) == Seq(
        "+I [0, 10) 1 0",
        "+I [20, 30) 2 0",
        "-D [0, 10) null 2",
        "-D [20, 30) null 2",
        "+I [0, 30) 7 2",
        "+U [0, 30) 8 3"
      )
    )
    assert(
      changes(each, before = true)(steps: _*) == Seq(
        "+I [0, 10) 1 1",
        "+I [20, 30) 2 1",
        "-D [0, 10) 1 4",
        "-D [20, 30) 2 4",
        "+I [0, 30) 7 5",
        "-U [0, 30) 7 6",
        "+U [0, 30) 8 7"
      )
    )
  }

  test("a session that was merged is deleted when the merged one fires, by whichever firing") {
    val second = (k: KeyedStream) => sessions(k).trigger(CountTrigger.of(2))
    assert(
      changes(second)(at(0), at(1), at(5), at(8), at(9)) ==
        Seq("+I [0, 11) 2 0", "-D [0, 11) null 1", "+I [0, 18) 4 1")
    )
    assert(changes(second)(at(0), at(1), at(5), sim.end()) == Seq("+I [0, 11) 2 0"), "it never fires")
  }

  test("a firing that repeats the one that deleted merged sessions deletes none, and updates") {
    val twice = (k: KeyedStream) => sessions(k).trigger(AfterWatermark.of(early = CountTrigger.of(1)))
    assert(
      changes(twice)(at(0), at(8), sim.snapshotRestore(), sim.end()) ==
        Seq("+I [0, 10) 1 0", "-D [0, 10) null 1", "+I [0, 18) 2 1", "+U [0, 18) 2 2")
    )
  }

  test("an ended session that is as it was again is updated") {
    val ended = (keyed: KeyedStream) =>
      keyed
        .window(EventTimeSessionWindows.withGap("10 ms").endsAt(ColumnSessionEnd.of(col("value") === 0)))
        .trigger(CountTrigger.of(2))
    val steps = Seq(at(0), at(1), at(5), at(10, value = 0))
    assert(changes(ended)(steps: _*) == Seq("+I [0, 11) 2 0", "+U [0, 11) 3 1"))
    assert(changes(ended, before = true)(steps: _*) == Seq("+I [0, 11) 2 1", "-U [0, 11) 2 2", "+U [0, 11) 3 3"))
  }

  test("windows of a number of rows: the newest takes the place of the one before") {
    assert(changes(_.countWindow(2))(at(1), at(2), at(3), at(4, 5)) == Seq("+I null 2 0", "+U null 6 1"))
  }

  test("panes and late rows beside it") {
    val result =
      tumbling(keyed(static)).withPane().sideOutputLateData("late").allowedLateness("5 ms").changelog().aggregate(total)
    assert(result.columns.toSeq == Seq("key", "window", "pane", "n", "op", "sequence"))
    val run = simulate(result, at(1), sim.watermark(10), at(2), sim.watermark(20), at(3, 7))
    assert(texts(run.main.select("op", "pane.timing", "n").collect().toSeq) == Seq("+I on_time 1", "+U late 2"))
    assert(run.side("late").select("value").collect().toSeq == Seq(Row(7)))
  }

  test("a running query: rows before are kept over a restart, shown by read_state, and gone with their window") {
    val q = new DrivenQuery(spark, delay = Some("20 milliseconds"))(df =>
      sessions(keyed(df)).trigger(CountTrigger.of(1)).changelog(before = true).aggregate(total)
    )
    val event                              = Event.at("a", _: Int, _: Long)
    def shown(rows: Seq[Row]): Seq[String] = texts(rows.map(r => Row(r.get(3), r.get(1), r.get(2), r.get(4))))
    try {
      q.start()
      assert(shown(q.batch(event(1, 0), event(2, 20))) == Seq("+I [0, 10) 1 1", "+I [20, 30) 2 1"))
      val state = SparkWindowing.readState(spark, q.checkpoint.toString)
      assert(
        texts(state.select("window", "firings", "state").collect().toSeq).sorted ==
          Seq("[0, 10) 1 {\"last_row\":{\"n\":1}}", "[20, 30) 1 {\"last_row\":{\"n\":2}}")
      )
      q.restart()
      assert(
        shown(q.batch(event(4, 10))) == Seq("-D [0, 10) 1 4", "-D [20, 30) 2 4", "+I [0, 30) 7 5")
      )
      assert(q.watermark(100) == Nil)
      assert(q.metric("openWindows") == 0)
      assert(SparkWindowing.readState(spark, q.checkpoint.toString).isEmpty)
    } finally q.stop()
  }

  test("the row before is no longer kept of a session whose merged one never fires") {
    val q = new DrivenQuery(spark)(df =>
      sessions(keyed(df)).trigger(CountTrigger.of(2)).changelog(before = true).aggregate(total)
    )
    try {
      q.start().batch(Event.at("a", 1, 0), Event.at("a", 1, 1), Event.at("a", 1, 5))
      q.watermark(100)
      assert(SparkWindowing.readState(spark, q.checkpoint.toString).isEmpty)
    } finally q.stop()
  }

  test("a change at a restart that would break the sequence, or lack rows, is refused by name") {
    def of(set: WindowedStream => WindowedStream)(df: DataFrame) =
      set(tumbling(keyed(df)).allowedLateness("20 ms").allowStateChange()).aggregate(total)
    val plain   = of(_.changelog()) _
    val changed = Seq[(DataFrame => DataFrame, String)](
      (of(_.changelog(before = true)), "last row: was not there, is struct<n:bigint>"),
      (
        of(_.allowedLateness("30 ms").changelog()),
        "allowed lateness: was 20 ms, is 30 ms (a change stream cannot begin"
      )
    )
    for ((next, said) <- changed) Changing(spark)(plain) { c =>
      c.driven.batch(Event.at("a", 1, 1))
      assert(c.refused(next).contains(said), c.refused(next))
      c.to(plain)
      assert(texts(c.driven.watermark(10).map(r => Row(r.get(3), r.get(2)))) == Seq("+I 1"))
    }
    Changing(spark)(of(_.changelog(before = true))) { c =>
      c.driven.batch(Event.at("a", 1, 1))
      assert(c.refused(plain).contains("last row: was struct<n:bigint>, is not there"))
    }
  }

  test("a firing without a row stops the query and names the window") {
    val none = ColumnAggregateFunction.of(
      createAccumulator = struct(lit(0).as("n")),
      add = expr("named_struct('n', acc.n + row.value)"),
      merge = null,
      getResult = expr("if(acc.n > 1, acc, null)")
    )
    val result = tumbling(keyed(static)).changelog().aggregate(none)
    val e      = intercept[IllegalStateException](simulate(result, at(1), sim.end()))
    assert(e.getMessage.contains("the key [a] and the window [1970-01-01"), e)
    assert(e.getMessage.contains("Return a row of nulls in its place"), e)
  }

  test("what has no one row for each window is refused") {
    val schema  = StructType.fromDDL("n int")
    val refused = Seq[(String, KeyedStream => Any)](
      "process has any number of rows"        -> (tumbling(_).changelog().process(new Silent, schema)),
      "end the windows in .aggregate(..)"     -> (tumbling(_).changelog().aggregate(Seq(total), new Silent, schema)),
      "rows of equal event time have the"     -> (_.window(OverEventTimeWindows.preceding("5 ms")).changelog()),
      "take .collapseFirings() away"          -> (tumbling(_).changelog().collapseFirings()),
      "withPane() in place of .changelog()"   -> (tumbling(_).withPane().changelog().aggregate(total).windowColumns),
      "two columns 'op': a result and the op" -> (tumbling(_).changelog().aggregate(total.as("op")))
    )
    for ((said, declare) <- refused) {
      val e = intercept[RuntimeException](declare(keyed(static)))
      assert(e.getMessage.contains(said), e)
    }
  }

  private val kinds = Seq[(String, KeyedStream => WindowedStream)](
    "sessions"         -> (sessions(_).trigger(CountTrigger.of(1)).allowedLateness("20 ms")),
    "sessions of two"  -> (sessions(_).trigger(CountTrigger.of(2)).allowedLateness("5 ms")),
    "late sessions"    -> (sessions(_).allowedLateness("30 ms")),
    "purged sessions"  -> (sessions(_).trigger(PurgingTrigger.of(CountTrigger.of(2)))),
    "evicted sessions" -> (sessions(_).trigger(CountTrigger.of(1)).evictor(CountEvictor.of(2))),
    "limited sessions" -> (_.window(EventTimeSessionWindows.withGap("10 ms").withMaxLength("25 ms"))
      .trigger(CountTrigger.of(2))
      .allowedLateness("20 ms")),
    "ended sessions" -> (_.window(
      EventTimeSessionWindows.withGap("10 ms").endsAt(ColumnSessionEnd.of(col("value") === 0))
    ).trigger(CountTrigger.of(2)).allowedLateness("20 ms")),
    "overlapping early" -> (_.window(SlidingEventTimeWindows.of("20 ms", "10 ms"))
      .trigger(AfterWatermark.of(early = CountTrigger.of(2)))
      .allowedLateness("20 ms"))
  )

  for ((name, windows) <- kinds) test(s"applied in order, the changes give the table of the newest firings: $name") {
    var merges = 0
    for (seed <- 1 to 12; before <- Seq(false, true)) {
      val steps   = randomSteps(new Random(seed))
      val paned   = simulate(windows(keyed(static)).withPane().aggregate(total), steps: _*).main.collect().toSeq
      val changed = simulate(windows(keyed(static)).changelog(before).aggregate(total), steps: _*).main.collect().toSeq
      val model   = new NewestFirings
      val table   = new ChangedTable(before)
      for (step <- steps.indices) {
        paned.filter(_.getInt(0) == step).foreach(model.take)
        changed.filter(_.getInt(0) == step).foreach(table.take)
        assert(table.rows == model.rows, s"after step $step of seed $seed: ${steps.take(step + 1)}")
      }
      merges += changed.count(_.getAs[String]("op") == "-D")
    }
    assert((merges > 10) == name.contains("sessions"), merges)
  }

  private def randomSteps(random: Random): Seq[SimulationStep] = {
    var now       = 0L
    def element() = at(math.max(0, now + random.nextInt(40) - 15), random.nextInt(4), Seq("a", "b")(random.nextInt(2)))
    Seq.fill(40) {
      random.nextInt(8) match {
        case 0 =>
          now += random.nextInt(20)
          sim.watermark(now)
        case 1 => sim.snapshotRestore()
        case 2 => sim.batch(Seq.fill(4)(element()): _*)
        case _ => element()
      }
    } :+ sim.end()
  }
}

object ChangelogSpec {

  /** The table of the newest firings: what `upsert_to_delta` makes of a result with panes. */
  final class NewestFirings {
    var rows: Map[(String, Any), Any] = Map.empty

    def take(row: Row): Unit = {
      val key = row.getAs[String]("key")
      row.getAs[Row]("pane").getAs[scala.collection.Seq[Row]]("replaced").foreach(w => rows -= ((key, w)))
      rows += (key, row.getAs[Any]("window")) -> row.getAs[Any]("n")
    }
  }

  /** A table that changes are applied to, each of which must fit it. */
  final class ChangedTable(before: Boolean) {
    var rows: Map[(String, Any), Any]                    = Map.empty
    private var sequences: Map[(String, Any), Long]      = Map.empty
    private var isOldTaken: Option[((String, Any), Any)] = None

    def take(row: Row): Unit = {
      val key      = (row.getAs[String]("key"), row.getAs[Any]("window"))
      val n        = row.getAs[Any]("n")
      val sequence = row.getAs[Long]("sequence")
      assert(sequences.get(key).forall(_ < sequence), s"the sequence does not grow: $row")
      sequences += key -> sequence
      row.getAs[String]("op") match {
        case "+I" =>
          assert(!rows.contains(key), s"is there already: $row")
          rows += key -> n
        case "-U" =>
          assert(before && rows.get(key).contains(n), s"is not the row before: $row")
          isOldTaken = Some(key -> n)
        case "+U" =>
          assert(
            rows.contains(key) && isOldTaken.map(_._1) == (if (before) Some(key) else None),
            s"no row to update: $row"
          )
          isOldTaken = None
          rows += key -> n
        case "-D" =>
          assert(rows.contains(key) && (!before || rows(key) == n), s"no such row to delete: $row")
          assert(before || n == null, s"a deleted row has no results: $row")
          rows -= key
      }
    }
  }
}
