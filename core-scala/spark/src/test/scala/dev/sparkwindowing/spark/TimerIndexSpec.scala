package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.{
  EventTimeSessionWindows,
  ProcessingTimeSessionWindows,
  TumblingEventTimeWindows,
  WindowAssigner
}
import dev.sparkwindowing.spark.plan.StateLimits
import dev.sparkwindowing.spark.task.TaskPool
import dev.sparkwindowing.triggers.{AfterWatermark, Trigger}
import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow

import java.time.Duration
import scala.util.Random

/** A query that finds due keys in the index of timers puts out what one does that reads all keys, micro-batch for
  * micro-batch, and shows the same figures.
  */
@Slow
class TimerIndexSpec extends AnyFunSuite with SharedSpark {
  import TimerIndexSpec._

  private def session(limit: String, store: Map[String, String], savedFrom: Long = 10000): SparkSession = {
    val own = StateStores.session(spark, store)
    own.conf.set(StateLimits.TimerIndexSetting, limit)
    own.conf.set(StateLimits.SavedSetting, savedFrom)
    own
  }

  /** Rows, clock and watermark at random; at the end all windows are closed. */
  private def steps(random: Random): Seq[DrivenQuery => Seq[String]] = {
    var now    = 1000000L
    var places = IndexedSeq.empty[String]
    val some   = Seq.fill(17) {
      now += random.nextInt(4000)
      random.nextInt(4) match {
        case 0 =>
          val by = random.nextInt(9000).toLong
          q: DrivenQuery => { q.clock.advance(by); texts(q.settle()) }
        case 1 =>
          val to = now - random.nextInt(5000)
          q: DrivenQuery => texts(q.watermark(to))
        case _ =>
          // Many keys are silent, some come back.
          places ++= Seq.fill(random.nextInt(8))(s"k${random.nextInt(1000)}")
          val rows = Seq.fill(random.nextInt(8))(
            Event.at(
              if (places.isEmpty || random.nextInt(3) == 0) s"k${random.nextInt(1000)}"
              else places(random.nextInt(places.size)),
              random.nextInt(50),
              now + random.nextInt(4000) - random.nextInt(3000)
            )
          )
          q: DrivenQuery => texts(q.batch(rows: _*))
      }
    }
    some ++ Seq[DrivenQuery => Seq[String]](
      q => texts(q.watermark(now + 1000000)),
      q => { q.clock.advance(1000000); texts(q.settle()) },
      q => texts(q.watermark(now + 1000001))
    )
  }

  private def texts(rows: Seq[org.apache.spark.sql.Row]): Seq[String] = rows.map(_.toString).sorted

  private def run(
      on: SparkSession,
      query: DataFrame => DataFrame,
      seed: Int,
      between: DrivenQuery => Unit = _ => (),
      every: Int = 4
  ): Seq[(Seq[String], Seq[Long])] = {
    val random = new Random(seed)
    val q      = new DrivenQuery(on, delay = Some("1 second"), partitions = Some(2))(query)
    try {
      q.start()
      steps(new Random(seed)).map { step =>
        if (random.nextInt(every) == 0) between(q)
        val out = step(q)
        (out, if (q.hasRun) Sums.map(q.metric(_)) else Nil)
      }
    } finally q.stop()
  }

  for ((((name, query), (store, settings)), i) <- Cases.each(2)(queries.zip(StateStores.all).zipWithIndex))
    test(s"the same rows and figures, $name, on $store") {
      def on(limit: String) = session(limit, settings)
      val all               = run(on("0"), query, i)
      assert(all.map(_._1.size).sum > 15, "the time line must show something")
      assert(run(on("128m"), query, i) == all)

      val drop = (_: DrivenQuery) => TaskPool.Indexes.dropUnused(Long.MaxValue)
      assert(run(on("128m"), query, i, drop) == all, "with indexes that are lost")
      val saved = session("128m", settings, savedFrom = 1)
      assert(run(saved, query, i, drop, every = 2) == all, "with indexes that are lost, and saved in the state")
      // After a restart overdue timers in processing time wait for the next rows.
      if (i == 0) assert(run(saved, query, i, _.restart()).map(_._1) == all.map(_._1), "with restarts")
      assert(run(on("2k"), query, i) == all, "beyond the limit of its memory")
      assert(run(saved, events => failing(query(events)), i).map(_._1) == all.map(_._1), "with failing tasks")
    }

  private def tumbling(events: DataFrame): DataFrame = SparkWindowing
    .keyBy(events, Seq(col("key")))
    .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
    .aggregate(count(lit(1)).as("n"))

  test("a micro-batch after the first reads only keys that are due") {
    val q = new DrivenQuery(spark)(tumbling).start()
    try {
      q.batch((1 to 5000).map(i => Event.at(s"k$i", i, 60000)): _*)
      assert(q.metric("timerIndexRebuilds") == 3 && q.metric("timerIndexBytes") > 5000 * 24)
      assert(q.batch(Event.at("a", 1, 1000)) == Nil)
      assert(q.batch(Event.at("b", 1, 70001)).size == 5000)
      assert(q.metric("timerIndexRebuilds") == 3, "most keys are due at once")
      q.batch(Event.at("b", 1, 70002))
      assert(q.metric("timerIndexRebuilds") == 0 && q.metric("openWindows") == 1)
      TaskPool.Indexes.dropUnused(Long.MaxValue)
      q.batch(Event.at("b", 1, 70003))
      assert(q.metric("timerIndexRebuilds") == 3)
    } finally q.stop()
  }

  // Sessions of 500 keys end at times between those at which 500 others would have ended, had they got no second row.
  private def betweenMoved(limit: Long): (Int, Long) = {
    val own = session(limit.toString, Map.empty)
    own.conf.set("spark.sql.shuffle.partitions", "1")
    val q = new DrivenQuery(own)(queries.head._2).start()
    try {
      q.batch((0 until 1000).map(i => Event.at(s"k$i", i, 60000L + i)): _*)
      val bytes = q.metric("timerIndexBytes")
      q.batch((0 until 1000 by 2).map(i => Event.at(s"k$i", i, 65000)): _*)
      (q.watermark(70000).size, bytes)
    } finally q.stop()
  }

  test("an index that becomes too large while keys are looked up fires all that are due") {
    val (fired, bytes) = betweenMoved(1L << 20)
    assert(fired == 500)
    Cases
      .each(4)(1 to 20)
      .foreach(more => assert(betweenMoved(bytes + more * 1000L)._1 == 500, s"$more kB more than at first"))
  }

  test("a timer that moves to an earlier time") {
    val q = new DrivenQuery(spark, delay = Some("1 minute"))(tumbling).start()
    try {
      assert(q.batch(Event.at("a", 1, 25000)) == Nil)
      assert(q.batch(Event.at("a", 1, 5000)) == Nil)
      assert(WindowText.of(q.watermark(70000)) == Seq("a [0, 10000) 1"))
      assert(q.metric("timerIndexRebuilds") == 0)
    } finally q.stop()
  }

  test("the limit is a number of bytes, and 0 is none") {
    val e = Changing.outcome(new DrivenQuery(session("much", Map.empty))(tumbling).start().batch(Event.at("a", 1, 1)))
    val refusal =
      s"${StateLimits.TimerIndexSetting} must be a number of bytes such as 64m, got 'much': " +
        s"""spark.conf.set("${StateLimits.TimerIndexSetting}", "64m")"""
    assert(e.left.exists(_.contains(refusal)), e)
  }
}

private object TimerIndexSpec {

  /** Figures that are sums over the whole state. */
  val Sums: Seq[String] = Seq("openWindows", "eventTimers", "processingTimers", "stateBytes")

  private val random = new Random(1)

  /** Fails one of three tasks at its first attempt, after some of its results. */
  def failing(result: DataFrame): DataFrame = {
    val storm = udf { (key: String) =>
      if (TaskContext.get().attemptNumber() == 0 && random.synchronized(random.nextInt(3) == 0))
        throw new IllegalStateException("as told")
      key
    }.asNondeterministic()
    result.withColumn("key", storm(col("key")))
  }

  private def windows(
      assigner: WindowAssigner[InternalRow],
      trigger: Option[Trigger[InternalRow]] = None,
      lateness: Long = 0
  )(events: DataFrame): DataFrame = {
    val made = SparkWindowing.keyBy(events, Seq(col("key"))).window(assigner)
    trigger
      .fold(made)(made.trigger(_))
      .allowedLateness(Duration.ofSeconds(lateness))
      .aggregate(sum("value").as("total"), count(lit(1)).as("n"))
  }

  private def seconds(n: Long): Duration = Duration.ofSeconds(n)

  val queries: Seq[(String, DataFrame => DataFrame)] = Seq(
    "event-time sessions"      -> windows(EventTimeSessionWindows.withGap(seconds(6))),
    "processing-time sessions" -> windows(ProcessingTimeSessionWindows.withGap(seconds(6))),
    "both kinds of timers"     -> windows(
      TumblingEventTimeWindows.of(seconds(8)),
      Some(AfterWatermark.of(seconds(3), seconds(5))),
      lateness = 12
    )
  )
}
