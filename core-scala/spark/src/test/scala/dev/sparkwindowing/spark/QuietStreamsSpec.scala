package dev.sparkwindowing.spark

import dev.sparkwindowing.watermarks.WatermarkStrategy
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQueryException
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters._

/** Streams whose inputs have no rows while the clock, which begins at 1000000, goes on. Windows last 10 seconds. */
class QuietStreamsSpec extends AnyFunSuite with SharedSpark with QuietStreams {
  import Event.at
  import QuietStreamsSpec._
  import WatermarkStrategy._

  private def over(strategy: WatermarkStrategy)(test: InputsQuery => Unit): Unit =
    running()(in => counts(assign(in.head, strategy)))(test)

  test("the last window fires when its end by the clock, the timeout and the delay are over") {
    over(idle) { q =>
      assert(q.batch(0, at("a", 1, 1000500), at("a", 1, 1001000)) == Nil)
      assert(q.quiet(24000) == Nil)
      assert(q.quiet(1000) == Seq("a [1000000, 1010000) 2"))
      assert(q.batch(0, at("b", 1, 1009000), at("b", 1, 1010000)) == Nil) // the first of both is late
      assert(q.metric("numLateRecordsDropped") == 1)
      assert(q.quiet(10000) == Seq("b [1010000, 1020000) 1"))
    }
  }

  test("not bounded by the clock: when the idle time reaches it from the last row") {
    over(forBoundedOutOfOrderness(seconds(5)).withIdleness(seconds(10), boundedByClock = false)) { q =>
      assert(q.batch(0, at("a", 1, 5000500)) == Nil) // the future: Spark's watermark is 4995500
      assert(q.quiet(14000) == Nil)
      assert(q.quiet(1000) == Seq("a [5000000, 5010000) 1"))
    }
  }

  test("a row ends the idle time, and counts before the watermark rises") {
    over(idle) { q =>
      q.batch(0, at("a", 1, 1000500))
      assert(q.quiet(9000) == Nil)
      assert(q.batch(0, at("a", 1, 1001000)) == Nil)
      assert(q.quiet(9999) == Nil)
      assert(q.batch(0, at("a", 1, 1001500)) == Nil)
      assert(q.quiet(9999) == Nil)
      assert(q.metric("openWindows") == 1)
      assert(q.quiet(3501) == Seq("a [1000000, 1010000) 3"))
    }
  }

  test("rows in the micro-batch of a rise are judged by the watermark before it") {
    val own = spark.newSession()
    own.conf.set("spark.sql.streaming.pollingDelay", "700") // time for rows between two polls
    running(on = own)(in => counts(assign(in.head, idle))) { q =>
      q.batch(0, at("a", 1, 1000500))
      q.settle()
      q.clock.advance(25000)
      assert(q.settle() == Nil) // the next poll knows that this one found nothing, and finds a row itself
      assert(q.batch(0, at("a", 1, 1001000)) == Seq("a [1000000, 1010000) 2"))
      assert(q.metric("numLateRecordsDropped") == 0)
      assert(q.running.lastProgress.numInputRows == 1)
      assert(q.batch(0, at("a", 1, 1001000)) == Nil)
      assert(q.metric("numLateRecordsDropped") == 1)
    }
  }

  test("three inputs of which two never had a row: both are idle, and the third is not held back") {
    running(inputs = 3)(in => counts(in.map(assign(_, idle)).reduce(_.union(_)))) { q =>
      assert(q.batch(0, at("a", 1, 1000500)) == Nil)
      val fired = (1 to 8).flatMap { second =>
        q.clock.advance(5000)
        q.batch(0, at("b", 1, 1000500 + second * 5000L))
      }
      assert(fired.contains("a [1000000, 1010000) 1"))
    }
  }

  test("an input united with itself continues after a restart") {
    running()(in => counts(assign(in.head.union(in.head), idle))) { q =>
      assert(q.batch(0, at("a", 1, 1000500)) == Nil)
      q.restart()
      assert(q.quiet(25000) == Seq("a [1000000, 1010000) 2"))
    }
  }

  test("no row yet: there is no watermark, and none rises") {
    over(idle) { q =>
      assert(q.quiet(60000) == Nil)
      assert(!q.hasRun)
    }
  }

  test("a restart: the count starts anew, from the watermark of the checkpoint") {
    over(idle) { q =>
      q.batch(0, at("a", 1, 1000500))
      assert(q.quiet(9000) == Nil)
      q.restart()
      assert(q.quiet(9000) == Nil)
      assert(q.quiet(7000) == Seq("a [1000000, 1010000) 1"))
    }
  }

  test("every strategy with a watermark can be idle") {
    over(ingestionTime().withIdleness(seconds(10))) { q =>
      assert(q.batch(0, at("a", 1, 0)) == Nil)
      assert(q.quiet(20000) == Nil)
      assert(q.quiet(1000) == Seq("a [1000000, 1010000) 1"))
    }
    val marks = forGenerator(when(col("key") === "mark", col("ts"))).withIdleness(seconds(10))
    running()(in => counts(assign(in.head, marks).where(col("key") =!= "mark"))) { q =>
      assert(q.batch(0, at("a", 1, 1000500), at("mark", 1, 1000500)) == Nil)
      assert(q.quiet(19000) == Nil)
      assert(q.quiet(1000) == Seq("a [1000000, 1010000) 1"))
    }
    over(idle.withMaxAheadOfClock(seconds(60))) { q =>
      assert(q.batch(0, at("a", 1, 1000500), at("a", 1, 1090000)) == Seq("a [1000000, 1010000) 1"))
      assert(q.quiet(30000) == Nil)
      assert(q.metric("openWindows") == 1)
    }
    over(forMonotonousTimestamps().withTimestampAssigner(timestamp_millis(col("value"))).withIdleness(seconds(10))) {
      q =>
        assert(q.batch(0, at("a", 1000500, 0)) == Nil)
        assert(q.quiet(20000) == Seq("a [1000000, 1010000) 1"))
    }
  }

  test("several inputs: an idle one no longer holds back the other, and all of them can be idle") {
    running(inputs = 2)(in => counts(in.map(assign(_, idle)).reduce(_ union _))) { q =>
      q.batch(1, at("b", 1, 1000500))
      assert(q.batch(0, at("a", 1, 1001000)) == Nil)
      (1 to 24).foreach { second => // input 0 has a row each second
        assert(q.quiet(1000) ++ q.batch(0, at("a", 1, 1001000L + 1000 * second)) == Nil)
      }
      assert(
        q.quiet(1000) ++ q.batch(0, at("a", 1, 1026000)) == Seq("a [1000000, 1010000) 9", "b [1000000, 1010000) 1")
      )
      assert(q.quiet(10000) == Seq("a [1010000, 1020000) 10"))
      assert(q.quiet(10000) == Seq("a [1020000, 1030000) 7"))
    }
  }

  test("several inputs: an input that had no row yet, and one that is idle since a restart, hold nothing back") {
    running(inputs = 2)(in => counts(in.map(assign(_, idle)).reduce(_ union _))) { q =>
      q.quiet(30000)
      assert(q.batch(0, at("a", 1, 1000500), at("a", 1, 1030000)) == Seq("a [1000000, 1010000) 1"))
      q.restart()
      assert(q.batch(0, at("a", 1, 1050000)) == Nil)
      assert(q.quiet(24000) == Nil)
      assert(q.quiet(1000) == Seq("a [1030000, 1040000) 1"))
    }
  }

  test("several inputs, the fastest decides: all of them must be quiet") {
    val own = spark.newSession()
    own.conf.set("spark.sql.streaming.multipleWatermarkPolicy", "max")
    running(inputs = 2, on = own)(in => counts(in.map(assign(_, idle)).reduce(_ union _))) { q =>
      q.batch(0, at("a", 1, 1000500))
      q.batch(1, at("b", 1, 1000600))
      (1 to 5).foreach(_ => assert(q.quiet(9000) ++ q.batch(0, at("a", 1, 1000500)) == Nil))
      assert(q.quiet(15000) == Seq("a [1000000, 1010000) 6", "b [1000000, 1010000) 1"))
    }
  }

  test("one watermark for a union: rows of any input are rows") {
    running(inputs = 2)(in => counts(assign(in.reduce(_ union _), idle))) { q =>
      q.batch(0, at("a", 1, 1000500))
      (1 to 5).foreach(_ => assert(q.quiet(9000) ++ q.batch(1, at("a", 1, 1000500)) == Nil))
      assert(q.quiet(15000) == Seq("a [1000000, 1010000) 6"))
    }
  }

  test("rows that were dropped by a filter or as duplicates are rows") {
    running()(in => counts(assign(in.head.dropDuplicates("key").where(col("value") > 0), idle))) { q =>
      q.batch(0, at("a", 1, 1000500))
      (1 to 4).foreach(_ => assert(q.quiet(9000) ++ q.batch(0, at("a", 1, 1000500), at("b", 0, 1)) == Nil))
      assert(q.quiet(15000) == Seq("a [1000000, 1010000) 1"))
    }
  }

  test("a micro-batch that runs again raises the watermark to the same time") {
    val failing = new java.util.concurrent.atomic.AtomicBoolean(false)
    val folder  = Files.createTempDirectory("checkpoint")
    val q       = new InputsQuery(
      spark,
      1,
      checkpoint = folder.toString,
      onBatch = _ => if (failing.get) throw new IllegalStateException("the sink is down")
    )(in => counts(assign(in.head, idle)))
    def offsets(): Seq[String] = lastOffsets(folder)
    try {
      q.start().batch(0, at("a", 1, 1000500))
      failing.set(true)
      intercept[StreamingQueryException](q.quiet(25000))
      val before = offsets()
      assert(before.last == """{"time":1025000,"watermark":1010000}""")
      failing.set(false)
      q.clock.advance(500000)
      q.restart()
      assert(q.settle() == Seq("a [1000000, 1010000) 1"))
      assert(q.running.recentProgress.exists(_.sources.last.endOffset == before.last))
    } finally q.stop()
  }

  test("a quiet query runs a micro-batch for each step of the watermark, not in a loop") {
    over(idle) { q =>
      q.batch(0, at("a", 1, 1000500))
      q.quiet(25000)
      val id = q.running.lastProgress.batchId
      (1 to 9).foreach(_ => q.quiet(100))
      assert(q.running.lastProgress.batchId == id)
      q.quiet(100)
      assert(q.running.lastProgress.batchId == id + 1)
    }
  }
}

private object QuietStreamsSpec {

  /** The offsets of the sources in the newest entry of the log. */
  private def lastOffsets(checkpoint: Path): Seq[String] = {
    val files = Files.list(checkpoint.resolve("offsets")).iterator.asScala.toSeq
    val names = files.filterNot(_.getFileName.toString.startsWith(".")).sortBy(_.getFileName.toString.toLong)
    Files.readAllLines(names.last).asScala.toSeq.drop(2)
  }
}
