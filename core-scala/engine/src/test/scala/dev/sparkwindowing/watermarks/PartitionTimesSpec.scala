package dev.sparkwindowing.watermarks

import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration
import scala.collection.mutable
import scala.util.Random

/** Time lines of the partitions of an input, by probe. */
class PartitionTimesSpec extends AnyFunSuite {

  private final class Input(timeout: Option[Long] = None) {
    private[this] var times                                      = PartitionTimes.Empty
    def probe(now: Long, highest: (String, Long)*): Option[Long] = {
      times = times.after(highest.toMap, now, timeout)
      times.slowest
    }
    def names: Set[String] = times.partitions.keySet
  }

  test("the slowest partition decides, from its first element on") {
    val in = new Input
    assert(in.probe(0, "0" -> 100L) == Some(100L))
    assert(in.probe(1, "0" -> 120L, "1" -> 40L) == Some(40L))
    assert(in.probe(2, "0" -> 130L, "1" -> 125L) == Some(125L))
  }

  test("without a timeout a silent partition decides for ever") {
    val in = new Input
    in.probe(0, "0" -> 100L, "1" -> 40L)
    assert(in.probe(1000000, "0" -> 900L) == Some(40L))
  }

  test("an earlier event time does not lower that of its partition") {
    val in = new Input
    in.probe(0, "0" -> 100L)
    assert(in.probe(1, "0" -> 50L) == Some(100L))
  }

  test("a partition is idle at a probe more than the timeout after the first one without an element") {
    val in = new Input(Some(10))
    in.probe(0, "0" -> 100L, "1" -> 40L)
    assert(in.probe(50, "0" -> 110L) == Some(40L)) // the count starts
    assert(in.probe(60, "0" -> 120L) == Some(40L))
    assert(in.probe(61, "0" -> 130L) == Some(130L))
  }

  test("of several idle partitions none decides, and those behind the others are forgotten") {
    val in = new Input(Some(10))
    in.probe(0, "0" -> 100L, "1" -> 40L, "2" -> 50L, "3" -> 200L)
    in.probe(1, "0" -> 110L)
    assert(in.probe(12, "0" -> 130L) == Some(130L))
    assert(in.names == Set("0", "3"))
  }

  test("an idle partition counts again with its next element, which ends the count too") {
    val in = new Input(Some(10))
    in.probe(0, "0" -> 100L, "1" -> 40L)
    in.probe(1, "0" -> 100L)
    assert(in.probe(12, "0" -> 130L) == Some(130L))
    assert(in.probe(13, "0" -> 140L, "1" -> 60L) == Some(60L))
    assert(in.probe(23, "0" -> 150L) == Some(60L))
    assert(in.probe(34, "0" -> 160L) == Some(160L))
  }

  test("no partition that is not idle has no event time") {
    val in = new Input(Some(10))
    in.probe(0, "0" -> 100L)
    in.probe(1)
    assert(in.probe(12).isEmpty)
  }

  // The rules of inputs with a generator each, where no idle one is behind when it comes back.
  test("as several inputs of a simulation: 5,000 random time lines") {
    for (seed <- 1 to 5000) {
      val random = new Random(seed)
      val count  = 1 + random.nextInt(4)
      val in     = new Input
      val inputs = new WatermarkInputs[Long](
        IndexedSeq.fill(count)(BoundedOutOfOrderness.of(Duration.ZERO))
      )
      val heard  = mutable.Set.empty[Int]
      var raised = Long.MinValue
      (1 to 20).foreach { now =>
        val rows = Seq.fill(random.nextInt(6))(random.nextInt(count) -> (now * 10 + random.nextInt(40)).toLong)
        rows.foreach { case (input, time) => inputs.element(input, time, time) }
        inputs.probe()
        heard ++= rows.map(_._1)
        val highest = rows.groupBy(_._1.toString).map { case (partition, times) => partition -> times.map(_._2).max }
        val slowest = in.probe(now.toLong, highest.toSeq: _*)
        // Before every partition has been heard, those that have been decide here, and no watermark is there.
        if (heard.size == count) raised = math.max(raised, slowest.get - 1)
        assert(inputs.watermark == raised, s"seed $seed, probe $now")
      }
    }
  }
}
