package dev.sparkwindowing.live

import dev.sparkwindowing.assigners._
import dev.sparkwindowing.evictors.CountEvictor
import dev.sparkwindowing.triggers._
import dev.sparkwindowing.{KeyedStream, SparkWindowing, WindowedStream}
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

import java.time.Duration.ofMillis
import scala.util.Random

/** Makes a query of a seed, always the same. */
object RandomCases {

  /** @param late
    *   whether rows may come behind the watermark. Without that nothing depends on the steps in which the watermark
    *   rises, which micro-batches take in their own way: no trigger looks at them, and no row is exactly at the end of
    *   a session, with which it is one unless that has fired
    */
  def make(seed: Int, late: Boolean): LiveCase = {
    val random = new Random(seed)
    random.nextInt() // neighbouring seeds start alike
    val (assignerName, assigned) = assigner(random, mayTouch = late)
    val (triggerName, triggered) = trigger(random, late)
    val isMerging                = assignerName.startsWith("session")
    val lateness                 = if (random.nextBoolean()) 0 else random.nextInt(20)
    val (evictorName, evicted)   = random.nextInt(5) match {
      case 0 =>
        val most = random.nextInt(3)
        (s"last $most", (w: WindowedStream) => w.evictor(CountEvictor.of(most.toLong)))
      case _ => ("all", (w: WindowedStream) => w)
    }
    val (functionName, function) = random.nextInt(3) match {
      case 0 => ("list", (w: WindowedStream) => w.aggregate(collect_list("value").as("all")))
      case 1 => ("sum", (w: WindowedStream) => w.aggregate(count(lit(1)).as("n"), sum("value").as("total")))
      case _ => ("pane", (w: WindowedStream) => w.withPane().aggregate(max("value").as("most")))
    }
    def build(rows: DataFrame): DataFrame = {
      val windows = triggered(assigned(SparkWindowing.keyBy(rows, Seq(col("key")), Some(col("ts")))))
      val named   = evicted(windows).allowedLateness(ofMillis(lateness.toLong)).sideOutputLateData("late")
      function(named)
    }
    val delay  = random.nextInt(8).toLong
    val behind = if (late) 20 + random.nextInt(20) else delay.toInt
    // Even times, if sessions have an odd gap.
    val step = if (late) 1 else 2
    var time = 1000000L
    val some = Seq.fill(20 + random.nextInt(60)) {
      // Sessions end now and then.
      time += step * (if (isMerging && random.nextInt(8) == 0) 30 else random.nextInt(5)).toLong
      (random.nextInt(4).toLong, time - step * random.nextInt(behind / step + 1), random.nextInt(100).toLong)
    }
    val last = (9L, time + 10000, 0L)
    val name = s"seed $seed: $assignerName, $triggerName, lateness $lateness, $evictorName, $functionName, delay $delay"
    LiveCase(name, delay, some :+ last, build)
  }

  private def assigner(random: Random, mayTouch: Boolean): (String, KeyedStream => WindowedStream) = {
    val size = 1 + random.nextInt(20)
    val ms   = ofMillis(size.toLong)
    val gap  = if (mayTouch) size else size | 1
    random.nextInt(7) match {
      case 0 => (s"tumbling $size", _.window(TumblingEventTimeWindows.of(ms)))
      case 1 =>
        val slide = 1 + random.nextInt(12)
        (s"sliding $size by $slide", _.window(SlidingEventTimeWindows.of(ms, ofMillis(slide.toLong))))
      case 2 =>
        (s"cumulative $size", _.window(CumulativeEventTimeWindows.of(ofMillis(4L * size), ms)))
      case 3 | 4 => (s"sessions $gap", _.window(EventTimeSessionWindows.withGap(ofMillis(gap.toLong))))
      case 5     =>
        val sessions = EventTimeSessionWindows.withGap(ofMillis(gap.toLong))
        (s"sessions $gap of at most ${3 * gap}", _.window(sessions.withMaxLength(ofMillis(3L * gap))))
      case _ =>
        val every = PurgingTrigger.of(CountTrigger.of(1L + size % 4))
        (s"global by ${1 + size % 4}", _.window(GlobalWindows.create()).trigger(every))
    }
  }

  private def trigger(random: Random, byWatermark: Boolean): (String, WindowedStream => WindowedStream) = {
    val kind = random.nextInt(if (byWatermark) 8 else 5)
    val n    = 1L + random.nextInt(4)
    kind match {
      case 0 => (s"count $n", _.trigger(CountTrigger.of(n)))
      case 1 => (s"purging count $n", _.trigger(PurgingTrigger.of(CountTrigger.of(n))))
      case 2 => (s"early count $n", _.trigger(AfterWatermark.of(CountTrigger.of(n))))
      case 5 => (s"continuous $n", _.trigger(ContinuousEventTimeTrigger.of(ofMillis(n))))
      case _ => ("default", w => w)
    }
  }
}
