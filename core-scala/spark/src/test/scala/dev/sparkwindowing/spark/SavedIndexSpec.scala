package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.{ProcessingTimeSessionWindows, TumblingEventTimeWindows}
import dev.sparkwindowing.spark.checkpoint.StateRow
import dev.sparkwindowing.spark.exec.StoredBlocks
import dev.sparkwindowing.spark.plan.StateLimits
import dev.sparkwindowing.triggers.CountTrigger
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow

import java.time.Duration

/** A start beside silent keys reads none of them, if the state says that none is due. */
@Slow
class SavedIndexSpec extends AnyFunSuite with SharedSpark {
  private val Piece = -1L
  private val Keys  = StructType.fromDDL("key string")

  private def session(store: Map[String, String] = Map.empty, savedFrom: String = "1000"): SparkSession = {
    val own = StateStores.session(spark, store)
    own.conf.set("spark.sql.shuffle.partitions", "1")
    own.conf.set(StateLimits.SavedSetting, savedFrom)
    own
  }

  private def tumbling(events: DataFrame): DataFrame = SparkWindowing
    .keyBy(events, Seq(col("key")))
    .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
    .aggregate(count(lit(1)).as("n"))

  private def keys(n: Int, at: Long): Seq[Event] = (1 to n).map(i => Event.at(s"k$i", i, at))

  /** Number of rows of the store that are no keys. */
  private def others(on: SparkSession, q: DrivenQuery): Int = {
    val found = StoredBlocks.rows(on, q.checkpoint, q.running.lastProgress.batchId, Keys).map(_._2)
    found.count(StateRow.isPiece)
  }

  private def keysOf(q: DrivenQuery): Long = q.running.lastProgress.stateOperators(0).numRowsTotal

  for ((store, settings) <- StateStores.all)
    test(s"a start reads no keys until one is due, on $store") {
      val q = new DrivenQuery(session(settings))(tumbling).start()
      try {
        q.batch(keys(2000, 65000): _*)
        q.restart()
        assert(q.batch(Event.at("k5", 1, 66000)) == Nil)
        assert(q.metric("timerIndexRebuilds") == 0)
        assert(q.metric("openWindows") == 2000 && q.metric("eventTimers") == 2000 && keysOf(q) == 2000)
        // Without a changelog RocksDB would write files for it alone.
        assert(q.watermark(67000) == Nil)
        q.restart()
        assert(q.batch(Event.at("k6", 1, 67500)) == Nil)
        assert(q.metric("timerIndexRebuilds") == (if (store == "RocksDB") 1 else 0))
        q.restart()
        // The least timer is 69999; a window fires when the watermark has passed it.
        assert(q.watermark(69999) == Nil)
        assert(q.metric("timerIndexRebuilds") == 0)
        q.batch(Event.at("b", 1, 69999))
        assert(q.watermark(70000).size == 2001)
        assert(q.metric("timerIndexRebuilds") > 0 && q.metric("openWindows") == 0 && keysOf(q) == 0)
      } finally q.stop()
    }

  test("keys that change after a start are looked up, and the others are read when the first of them can be due") {
    val q = new DrivenQuery(session(), delay = Some("1 minute"))(tumbling).start()
    try {
      q.batch(keys(2000, 65000): _*)
      q.restart()
      assert(q.batch(Event.at("k7", 1, 25000), Event.at("c", 1, 35000), Event.at("k9", 1, 85000)) == Nil)
      assert(WindowText.of(q.watermark(90000)) == Seq("k7 [20000, 30000) 1"))
      assert(WindowText.of(q.watermark(100000)) == Seq("c [30000, 40000) 1"))
      assert(q.metric("timerIndexRebuilds") == 0)
      q.batch(keys(1000, 115000).map(e => e.copy(key = s"next ${e.key}")): _*)
      assert(q.watermark(130000).size == 2000)
      assert(q.metric("timerIndexRebuilds") > 0 && q.metric("openWindows") == 1001)
      q.batch(Event.at("d", 1, 116000))
      assert(q.metric("timerIndexRebuilds") == 0 && q.metric("openWindows") == 1002)
    } finally q.stop()
  }

  test("timers in processing time start a micro-batch after a start, too") {
    val query = (events: DataFrame) =>
      SparkWindowing
        .keyBy(events, Seq(col("key")))
        .window(ProcessingTimeSessionWindows.withGap(Duration.ofSeconds(10)))
        .aggregate(count(lit(1)).as("n"))
    val q = new DrivenQuery(session())(query).start()
    try {
      q.batch(keys(2000, 0): _*)
      q.restart()
      q.clock.advance(9000)
      assert(q.batch(Event.at("k3", 1, 0)) == Nil)
      assert(q.metric("timerIndexRebuilds") == 0)
      q.clock.advance(1000)
      assert(q.settle().size == 1999)
      q.clock.advance(9000)
      assert(WindowText.of(q.settle()).map(_.split(" ").head) == Seq("k3"))
    } finally q.stop()
  }

  test("a state with few keys has none, and loses it when it has few again") {
    val on = session()
    val q  = new DrivenQuery(on)(tumbling).start()
    try {
      q.batch(keys(999, 1000): _*)
      assert(others(on, q) == 0)
      q.batch(Event.at("a", 1, 2000))
      assert(others(on, q) == 1 && keysOf(q) == 1000)
      q.batch(Event.at("a", 1, 10000))
      assert(others(on, q) == 0 && keysOf(q) == 1)
    } finally q.stop()
  }

  test("0 is for never") {
    val on = session(savedFrom = "0")
    val q  = new DrivenQuery(on)(tumbling).start()
    try {
      q.batch(keys(2000, 1000): _*)
      assert(others(on, q) == 0)
    } finally q.stop()
  }

  test("an index of all timers is not lost to a task that ends with its first row") {
    var readsAgain = false
    val q          = new DrivenQuery(
      session(),
      read = rows => {
        val all = rows.collect().toSeq
        assert(!readsAgain || !rows.isEmpty)
        all
      }
    )(events =>
      SparkWindowing
        .keyBy(events, Seq(col("key")))
        .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
        .trigger(CountTrigger.of(1))
        .aggregate(count(lit(1)).as("n"))
    )
    try {
      q.start().batch(keys(2000, 65000): _*)
      readsAgain = true
      assert(q.batch(Event.at("a", 1, 65000), Event.at("b", 1, 65000)).size == 2)
      readsAgain = false
      q.batch(Event.at("c", 1, 65000))
      assert(q.metric("timerIndexRebuilds") == 0 && q.metric("timerIndexBytes") > 2000 * 16)
    } finally q.stop()
  }

  // The query has what it said before keys with earlier timers came, and what it says then.
  for (
    (what, change) <- Seq[(String, (Array[Byte], Array[Byte]) => Option[Array[Byte]])](
      "of another version" -> ((before, _) => Some(before)),
      "damaged"            -> ((before, now) => Some(now.take(2) ++ before.slice(2, 5) ++ now.drop(5))),
      "cut"                -> ((_, now) => Some(now.dropRight(5))),
      "empty"              -> ((_, _) => Some(Array.emptyByteArray)),
      "missing"            -> ((_, _) => None)
    )
  ) test(s"all keys are read if it is $what") {
    val on = session()
    val q  = new DrivenQuery(on, delay = Some("1000 seconds"))(tumbling).start()
    try {
      q.batch(keys(2000, 1000000): _*)
      val before = saved(on, q)
      q.batch(keys(2000, 65000).map(e => e.copy(key = s"early ${e.key}")): _*)
      val now = saved(on, q)
      q.stop()
      StoredBlocks.changePieces(on, q.checkpoint, q.running.lastProgress.batchId, Keys)(Piece, change(before, now))
      q.start()
      assert(q.watermark(1070000).size == 2000)
      assert(q.metric("openWindows") == 2000 && keysOf(q) == 2000)
    } finally q.stop()
  }

  private def saved(on: SparkSession, q: DrivenQuery): Array[Byte] =
    StoredBlocks
      .rows(on, q.checkpoint, q.running.lastProgress.batchId, Keys)
      .map(_._2)
      .collectFirst {
        case row if StateRow.isPiece(row) => StateRow.block(row)
      }
      .get

  test("a number of keys that is none is refused with what to type") {
    for (text <- Seq("many", "-1")) {
      val e = Changing.outcome(new DrivenQuery(session(savedFrom = text))(tumbling).start().batch(Event.at("a", 1, 1)))
      val refusal =
        s"${StateLimits.SavedSetting} must be a number of keys such as 10000, got '$text': " +
          s"""spark.conf.set("${StateLimits.SavedSetting}", "10000")"""
      assert(e.left.exists(_.contains(refusal)), e)
    }
  }
}
