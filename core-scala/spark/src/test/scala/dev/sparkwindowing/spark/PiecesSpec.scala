package dev.sparkwindowing.spark

import dev.sparkwindowing.assigners.{
  EventTimeSessionWindows,
  GlobalWindows,
  OverEventTimeWindows,
  SlidingEventTimeWindows,
  TumblingEventTimeWindows
}
import dev.sparkwindowing.columns.{ColumnProcess, Do, RowParts}
import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.evictors.{CountEvictor, Evictor, EvictorContext, TimeEvictor}
import dev.sparkwindowing.functions.{Collector, ProcessWindowFunction}
import dev.sparkwindowing.spark.checkpoint.StateRow
import dev.sparkwindowing.spark.exec.StoredBlocks
import dev.sparkwindowing.spark.plan.StateStoreRules
import dev.sparkwindowing.triggers.ContinuousEventTimeTrigger
import dev.sparkwindowing.windows.Window
import dev.sparkwindowing.{KeyedStream, SparkWindowing}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration.ofSeconds
import scala.util.{Random, Try}

/** Puts out the values of a window in their order. */
final class InOrder extends ProcessWindowFunction[Row, Row, Row] {
  def process(key: Row, ctx: ProcessWindowFunction.Context, rows: Iterable[Row], out: Collector[Row]): Unit =
    out.collect(Row(rows.map(_.getAs[Int]("value")).mkString(" ")))

  override def toString: String = "InOrder"
}

/** Takes out values of more than 95 before the function, and behind it a quarter of the others, and the oldest row. */
final class Thinned extends Evictor[Row] {
  private def removeIf(rows: ElementList[Row])(p: Int => Boolean): Unit =
    rows.removeIf(i => p(rows(i).getAs[Int]("value")))
  def evictBefore(rows: ElementList[Row], window: Window, ctx: EvictorContext): Unit = removeIf(rows)(_ > 95)
  def evictAfter(rows: ElementList[Row], window: Window, ctx: EvictorContext): Unit  = {
    rows.removeFirst(1)
    removeIf(rows)(_ % 4 == 0)
  }
  override def toString: String = "Thinned"
}

/** Adds the values if it can read them. */
final class Careless extends ProcessWindowFunction[Row, Row, Row] {
  def process(key: Row, ctx: ProcessWindowFunction.Context, rows: Iterable[Row], out: Collector[Row]): Unit =
    out.collect(Row(Try(rows.map(_.getAs[Int]("value")).sum).getOrElse(-1)))
}

/** Queries put out the same whether their rows and windows are in pieces or in the block. */
class PiecesSpec extends AnyFunSuite with SharedSpark {
  import Event.at
  import PiecesSpec._

  private val inPieces = StateStoreRules.SizeSettings.zip(Seq("150", "200", "150", "70"))

  private def session(store: Map[String, String], settings: Seq[(String, String)] = inPieces): SparkSession = {
    val own = StateStores.session(spark, store)
    settings.foreach { case (name, value) => own.conf.set(name, value) }
    own
  }

  /** Rows and watermarks at random; at the end all windows are closed. */
  private def steps(random: Random): Seq[DrivenQuery => Seq[Row]] = {
    var now  = 1000000L
    val some = Seq.fill[DrivenQuery => Seq[Row]](16) {
      now += random.nextInt(6000)
      if (random.nextInt(4) == 0) {
        val to = now - random.nextInt(9000)
        q: DrivenQuery => q.watermark(to)
      } else {
        val rows = Seq.fill(random.nextInt(14))(
          at(s"k${random.nextInt(3)}", random.nextInt(100), now + random.nextInt(4000) - random.nextInt(3000))
        )
        q: DrivenQuery => q.batch(rows: _*)
      }
    }
    some ++ Seq[DrivenQuery => Seq[Row]](q => q.watermark(now + 1000000), q => q.watermark(now + 1000001))
  }

  private def figures(q: DrivenQuery): Seq[Long] =
    if (q.hasRun) Figures.map(q.metric(_)) :+ q.running.lastProgress.stateOperators(0).numRowsTotal else Nil

  // The rows and figures of each step, and the most pieces that there were.
  private def run(
      on: SparkSession,
      query: DataFrame => DataFrame,
      seed: Int,
      between: DrivenQuery => Unit = _ => (),
      keys: StructType
  ): Seq[(Seq[String], Seq[Long])] = {
    val random = new Random(seed)
    val q      = new DrivenQuery(on, delay = Some("3 seconds"), partitions = Some(2))(query)
    try {
      q.start()
      val all = steps(new Random(seed)).map { step =>
        if (random.nextInt(4) == 0) between(q)
        val out = step(q)
        (out.map(_.toString).sorted, figures(q))
      }
      val last = q.running.lastProgress.batchId
      q.stop()
      val (pieces, rows) = StoredBlocks.rows(on, q.checkpoint, last, keys).map(_._2).partition(StateRow.isPiece)
      assert(pieces.map(StateRow.block(_).length.toLong).sum == rows.map(StateRow.pieceBytes).sum, "pieces are left")
      all
    } finally q.stop()
  }

  for (((name, query), i) <- queries.zipWithIndex) {
    val (store, settings) = StateStores.all(i % StateStores.all.size)
    test(s"the same rows, $name, on $store") {
      val keys  = if (name == "eight keys") EightKeys else Keys
      val whole = run(session(settings, Nil), query, i, keys = keys)
      assert(whole.map(_._1.size).sum > 8, "the time line must show something")
      val parts = session(settings)
      if (i % 3 == 1) assert(run(parts, query, i, keys = keys) == whole, "with all figures")
      val dice                          = new Random(i)
      def between(q: DrivenQuery): Unit = {
        val _ = if (dice.nextBoolean()) q.restart() else Rescaled(parts, q, 1 + dice.nextInt(5))
      }
      val unquiet = run(parts, events => TimerIndexSpec.failing(query(events)), i, between, keys)
      assert(unquiet.map(_._1) == whole.map(_._1), "with failing tasks, restarts and other numbers of partitions")
    }
  }

  private def kept(events: DataFrame): DataFrame = keyed(events)
    .window(TumblingEventTimeWindows.of(ofSeconds(100)))
    .process(new InOrder, StructType.fromDDL("all string"))

  private def stored(on: SparkSession, q: DrivenQuery): (Seq[StateRowText], Long) = {
    val batch = q.running.lastProgress.batchId
    q.stop()
    (
      StoredBlocks.rows(on, q.checkpoint, batch, Keys).map { case (key, row) =>
        StateRowText(key.getUTF8String(0).toString, StateRow.isPiece(row), StateRow.block(row).length)
      },
      batch
    )
  }

  test("a step writes the pieces that it adds, and no other; a key counts once") {
    val on = session(Map.empty)
    val q  = new DrivenQuery(on)(kept).start()
    try {
      (1 to 20).foreach(i => q.batch((1 to 10).map(n => at("a", n, i * 1000L + n)): _*))
      val operator = q.running.lastProgress.stateOperators(0)
      assert(operator.numRowsTotal == 1 && operator.numRowsUpdated == 1)
      val bytes     = q.metric("stateBytes")
      val (rows, _) = stored(on, q)
      val pieces    = rows.filter(_.isPiece)
      assert(pieces.size > 20 && rows.size == pieces.size + 1)
      assert(pieces.map(_.bytes).sum + 100 < bytes && bytes < pieces.map(_.bytes).sum + 3000)
    } finally q.stop()
  }

  test("the reader of the state shows the first rows, and counts all") {
    val on = session(Map.empty)
    val q  = new DrivenQuery(on)(kept).start()
    try {
      (1 to 5).foreach(i => q.batch((1 to 50).map(n => at("a", n, i * 1000L + n)) :+ at("b", i, i * 1000L): _*))
      q.stop()
      val shown = SparkWindowing
        .readState(on, q.checkpoint.toString)
        .select(
          col("key.key"),
          col("elements"),
          size(from_json(col("contents"), lit("array<struct<value int>>"))),
          from_json(col("contents"), lit("array<struct<value int>>")).getItem(3).getField("value")
        )
        .orderBy("key")
      assert(shown.collect().toSeq == Seq(Row("a", 250L, 100, 4), Row("b", 5L, 5, 4)))
    } finally q.stop()
  }

  test("the reader of the state shows windows in pages, with rows that are in pieces") {
    val windows = TumblingEventTimeWindows.of(ofSeconds(1))
    for (
      (query, elements, value) <- Seq[(DataFrame => DataFrame, Any, String)](
        (keyed(_).window(windows).aggregate(values: _*), null, "2_max"),
        (keyed(_).window(windows).process(new InOrder, function), 12L, "value")
      )
    ) {
      val on = session(Map.empty)
      val q  = new DrivenQuery(on, delay = Some("100 seconds"))(query).start()
      try {
        q.batch((0 until 40).flatMap(w => (1 to 12).map(n => at("a", w, w * 1000L + n))) :+ at("b", 1, 1000L): _*)
        val (rows, _) = stored(on, q)
        assert(rows.count(_.isPiece) > 5)
        val shown = SparkWindowing
          .readState(on, q.checkpoint.toString)
          .where("key.key = 'a'")
          .select(col("window.start").cast("long").as("start"), col("elements"), col("contents"))
          .orderBy("start")
          .collect()
        assert(shown.map(_.getLong(0)).toSeq == (0L until 40L) && shown.forall(_.get(1) == elements))
        assert(shown.zipWithIndex.forall { case (row, w) => row.getString(2).matches(s""".*"$value":$w[,}].*""") })
      } finally q.stop()
    }
  }

  test("the reader of the state shows the state of a function that is in a piece, or its bytes") {
    val last = ColumnProcess.of(
      state = struct(lit("").as("text")),
      onElement = Do.of(state = struct(concat(col("state.text"), expr("row.value")).as("text")), emit = col("state"))
    )
    for (
      (query, shown) <- Seq[(DataFrame => DataFrame, String)](
        (keyed(_).process(last), s"""\\{"state":\\{"text":"${(1 to 200).mkString}"\\}\\}"""),
        (
          keyed(_).process(new Remembering, function),
          """\{"all":\{"bytes":\d{3}\},"counts":\{"bytes":\d{3}\},"text":\{"bytes":\d{3}\}\}"""
        )
      )
    ) {
      val on = session(Map.empty)
      val q  = new DrivenQuery(on)(query).start()
      try {
        q.batch((1 to 200).map(n => at("a", n, n * 1000L)) :+ at("b", 9, 1000L): _*)
        val (rows, _) = stored(on, q)
        assert(rows.count(_.isPiece) > 0)
        val read = SparkWindowing.readState(on, q.checkpoint.toString).orderBy("key").select("state").collect()
        assert(read.length == 2)
        assert(read(0).getString(0).matches(shown), read(0))
      } finally q.stop()
    }
  }

  // Spark 3.5 has no maps as keys.
  if (BuildInfo.sparkLine != "3.5")
    test("the reader of the state finds the pieces of keys of any type") {
      val on = session(Map.empty)
      val q  = new DrivenQuery(on)(events =>
        SparkWindowing
          .keyBy(
            events,
            Seq(map(col("key"), col("value") % 2).as("m"), struct(col("key"), lit(1.5)).as("s"), lit(null).as("n"))
          )
          .window(TumblingEventTimeWindows.of(ofSeconds(100)))
          .process(new InOrder, function)
      ).start()
      try {
        q.batch((1 to 100).map(n => at("a", n, 1000L + n)): _*)
        q.stop()
        val read = SparkWindowing.readState(on, q.checkpoint.toString)
        val rows = read.select(
          col("key.m").getItem("a"),
          col("elements"),
          from_json(col("contents"), lit("array<struct<value int>>")).getItem(40).getField("value")
        )
        assert(rows.collect().toSet == Set(Row(0, 50L, 82), Row(1, 50L, 81)))
      } finally q.stop()
    }

  // The error of a query whose piece 1 was changed, or removed, when it fires.
  private def refusal(query: DataFrame => DataFrame, piece: Option[Array[Byte]]): String = {
    val on = session(Map.empty)
    val q  = new DrivenQuery(on, delay = Some("100 seconds"))(query).start()
    try {
      q.batch((1 to 50).map(n => at("a", n, n * 1000L)): _*)
      val batch = q.running.lastProgress.batchId
      q.stop()
      StoredBlocks.changePieces(on, q.checkpoint, batch, Keys)(number = 1, piece)
      intercept[Exception](q.start().watermark(300000)).getMessage
    } finally q.stop()
  }

  private def summed(events: DataFrame): DataFrame =
    keyed(events).window(TumblingEventTimeWindows.of(ofSeconds(1))).aggregate(values: _*)

  private val cannotBeRead = "the state of the key [a] cannot be read: its piece 1"

  for ((what, query) <- Seq[(String, DataFrame => DataFrame)](("piece", kept), ("page", summed)))
    test(s"a $what that is missing or another one stops the query, by key and number") {
      val (missing, other) = (refusal(query, None), refusal(query, Some(Array[Byte](1, 2, 3))))
      assert(missing.contains(s"$cannotBeRead is missing"), missing)
      assert(other.contains(s"$cannotBeRead, of 3 bytes, is not"), other)
    }

  test("a function that catches the error of a missing piece does not save the step") {
    val error = refusal(
      keyed(_)
        .window(TumblingEventTimeWindows.of(ofSeconds(100)))
        .process(new Careless, StructType.fromDDL("n int")),
      None
    )
    assert(error.contains(s"$cannotBeRead is missing"), error)
  }

  test("a store that may not keep the bytes of a key keeps the block whole") {
    val on = session(Map("providerClass" -> classOf[org.apache.spark.sql.OtherStoreProvider].getName))
    val q  = new DrivenQuery(on)(kept).start()
    try {
      q.batch((1 to 50).map(n => at("a", n, n * 1000L)): _*)
      val (rows, _) = stored(on, q)
      assert(rows.size == 1 && !rows.head.isPiece)
    } finally q.stop()
  }

  test("explain tells which rows are in pieces, and which windows in pages") {
    def stateOf(query: DataFrame => DataFrame): String =
      SparkWindowing
        .explain(query(new DrivenQuery(session(Map.empty))(identity).events))
        .linesIterator
        .filter(_.startsWith("state: "))
        .mkString
    val pages  = "state: a row for each key; windows beyond 150 bytes in pages of 70 bytes"
    val byName = queries.toMap
    assert(stateOf(byName("slices")) == pages)
    assert(
      stateOf(byName("state of functions")) ==
        "state: a row for each key; state of a name beyond 150 bytes in pieces"
    )
    assert(stateOf(byName("join")) == s"$pages; rows of a window beyond 150 bytes in pieces of 200 bytes")
    assert(stateOf(byName("over windows")) == s"$pages; rows of an event time beyond 150 bytes in pieces of 200 bytes")
  }

  test("settings that are no sizes are refused with what to type") {
    for (setting <- StateStoreRules.SizeSettings) {
      val on = session(Map.empty, Seq(setting -> "much"))
      val e  = Changing.outcome(new DrivenQuery(on)(kept).start().batch(at("a", 1, 1)))
      assert(e.left.exists(_.contains(s"$setting must be a positive number of bytes such as ")), e)
    }
  }
}

private object PiecesSpec {
  final case class StateRowText(key: String, isPiece: Boolean, bytes: Int)

  val Keys: StructType      = StructType.fromDDL("key string")
  val EightKeys: StructType = StructType.fromDDL("key string" + (1 to 7).map(i => s", k$i string").mkString)

  /** Figures that do not depend on the form of the state. */
  val Figures: Seq[String] = Seq("openWindows", "eventTimers", "processingTimers", "firedPanes")

  private def keyed(events: DataFrame): KeyedStream = SparkWindowing.keyBy(events, Seq(col("key")))

  private val values = Seq(count(lit(1)).as("n"), sum("value").as("total"), max("value").as("most"))

  private val function = StructType.fromDDL("all string")

  private val sliding = SlidingEventTimeWindows.of(ofSeconds(40), ofSeconds(10))

  val queries: Seq[(String, DataFrame => DataFrame)] = Seq(
    "counted"         -> (keyed(_).window(sliding).evictor(CountEvictor.of[InternalRow](9)).aggregate(values: _*)),
    "evicted by time" -> (keyed(_)
      .window(TumblingEventTimeWindows.of(ofSeconds(100)))
      .trigger(ContinuousEventTimeTrigger.of(ofSeconds(7)))
      .evictor(TimeEvictor.of[InternalRow](ofSeconds(9), doEvictAfter = true))
      .process(new InOrder, function)),
    "sessions" -> (keyed(_)
      .window(EventTimeSessionWindows.withGap(ofSeconds(3)))
      .allowedLateness(ofSeconds(8))
      .process(new InOrder, function)),
    "over windows" -> (keyed(_).window(OverEventTimeWindows.preceding(ofSeconds(20))).withRow().aggregate(values: _*)),
    "over rows"    -> (keyed(_)
      .window(OverEventTimeWindows.precedingRows(12))
      .process(new InOrder, function)),
    "join" -> (events =>
      SparkWindowing
        .join(keyed(events.where("value % 2 = 0")), keyed(events.where("value % 2 = 1")))
        .window(TumblingEventTimeWindows.of(ofSeconds(30)))
        .full()
        .select("key", "window", "left.value", "right.value")
    ),
    "own evictor in one window" -> (keyed(_)
      .window(GlobalWindows.create())
      .trigger(ContinuousEventTimeTrigger.of(ofSeconds(20)))
      .evictor(RowParts.evictor(new Thinned))
      .process(new InOrder, function)),
    "state of functions" -> (keyed(_).process(new Remembering, function)),
    "slices" -> (keyed(_).window(SlidingEventTimeWindows.of(ofSeconds(10), ofSeconds(1))).aggregate(values: _*)),
    "sessions of sums" -> (keyed(_)
      .window(EventTimeSessionWindows.withGap(ofSeconds(1)))
      .allowedLateness(ofSeconds(20))
      .withPane()
      .aggregate(values: _*)),
    "repeated firings" -> (keyed(_)
      .window(SlidingEventTimeWindows.of(ofSeconds(10), ofSeconds(1)))
      .trigger(ContinuousEventTimeTrigger.of(ofSeconds(3)))
      .allowedLateness(ofSeconds(9))
      .aggregate(values: _*)),
    "eight keys" -> (events =>
      SparkWindowing
        .keyBy(events, col("key") +: (1 to 7).map(i => concat(col("key"), lit(i)).as(s"k$i")))
        .window(sliding)
        .process(new InOrder, function)
    )
  )
}
