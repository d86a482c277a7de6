package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.columns.{ColumnProcess, Do}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, Trigger}
import org.apache.spark.sql.{DataFrame, HandClock, Row, SparkTestBridge}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow

import java.io.IOException
import java.nio.file._
import java.nio.file.attribute.BasicFileAttributes
import java.time.Duration
import scala.collection.mutable
import scala.jdk.CollectionConverters._

/** Devices that were silent for five minutes are reported, although their driver dies: a copy of the checkpoint at
  * every point of every micro-batch is a query that was killed there.
  */
@Slow
class HeartbeatSpec extends AnyFunSuite with SharedSpark {
  import HeartbeatSpec._

  private def alerts(beats: DataFrame): DataFrame = {
    val live = Do.of(
      state = struct(col("row.at").as("seen")),
      processingTimer = col("ctx.processing_time") + expr("INTERVAL 5 MINUTES")
    )
    val silent = Do.of(state = lit(null), emit = struct(col("state.seen").as("seen")))
    val watch  = ColumnProcess.of(live, state = struct(lit(null).cast("long").as("seen")), onProcessingTimer = silent)
    SparkWindowing.keyBy(SparkWindowing.withClock(beats, Duration.ofMinutes(1)), Seq(col("device"))).process(watch)
  }

  // One file of beats in each of the first minutes; a device stops when its number of minutes is over.
  private val devices = (1 to 6).map(n => s"d$n" -> n)

  private def write(folder: Path, minute: Int): Unit = {
    val beats = devices.collect { case (name, last) if minute <= last => s"""{"device":"$name","at":$minute}""" }
    val file  = Files.createTempFile("beats", ".json")
    Files.write(file, beats.asJava)
    Files.move(file, folder.resolve(f"$minute%02d.json"), StandardCopyOption.ATOMIC_MOVE)
  }

  private def start(folder: Path, checkpoint: Path, clock: HandClock)(
      sink: (Seq[Row], Long, String) => Unit
  ): StreamingQuery = {
    val beats = spark.readStream.schema("device STRING, at LONG").option("maxFilesPerTrigger", 1L).json(folder.toString)
    SparkTestBridge.start(
      alerts(beats),
      checkpoint.toString,
      clock,
      OutputMode.Append,
      Trigger.ProcessingTime(0),
      (batch, id) => {
        sink(Nil, id, "before its tasks")
        val rows = batch.collect().toSeq
        sink(Nil, id, "before the sink has its rows")
        sink(rows, id, "before its commit")
      }
    )
  }

  private def pass(query: StreamingQuery, clock: HandClock, minutes: Int)(each: Int => Unit): Unit =
    (1 to minutes).foreach { minute =>
      each(minute)
      clock.advance(60000)
      query.processAllAvailable()
    }

  test("each silent device is reported once by a query that is killed anywhere, and restarted without new data") {
    val folder     = Files.createTempDirectory("beats")
    val checkpoint = Files.createTempDirectory("checkpoint")
    val clock      = new HandClock(1000000L)
    val images     = mutable.ArrayBuffer.empty[Image]
    val written    = mutable.LinkedHashMap.empty[Long, Seq[Row]]
    var minutes    = 0

    def image(point: String): Unit = {
      val copy = Files.createTempDirectory("image")
      copyTree(checkpoint, copy)
      images += Image(point, copy, written.toMap, clock.now, minutes)
    }
    val query = start(folder, checkpoint, clock) { (rows, id, point) =>
      if (rows.nonEmpty) written(id) = rows
      image(s"micro-batch $id, $point")
    }
    try
      pass(query, clock, 13) { minute =>
        if (minute <= 6) write(folder, minute)
        minutes = minute
        query.processAllAvailable()
        image(s"between micro-batches, minute $minute")
      }
    finally query.stop()
    assert(reports(written.values.flatten) == expected)

    val chosen = Cases.each(9)(images.reverse.toSeq)
    info(s"${images.size} points, ${chosen.size} restarts")
    for (killed <- chosen) {
      val later = new HandClock(killed.time)
      val sink  = mutable.Map(killed.written.toSeq: _*)
      val again = start(folder, killed.checkpoint, later)((rows, id, _) => if (rows.nonEmpty) sink(id) = rows)
      try {
        again.processAllAvailable()
        pass(again, later, 7)(_ => ())
      } finally again.stop()
      assert(reports(sink.values.flatten) == expected, killed.point)
    }
  }

  private def expected: Seq[(String, Long)] = devices.map { case (name, last) => name -> last.toLong }

  private def reports(rows: Iterable[Row]): Seq[(String, Long)] =
    rows.toSeq.map(r => r.getAs[String]("device") -> r.getAs[Long]("seen")).sorted
}

object HeartbeatSpec {

  /** A killed query.
    *
    * @param written
    *   rows of the sink by micro-batch, which a micro-batch that runs again replaces
    */
  private final case class Image(
      point: String,
      checkpoint: Path,
      written: Map[Long, Seq[Row]],
      time: Long,
      minutes: Int
  )

  /** A copy of a folder in which Spark goes on to write. A file that is gone before it is copied was a temporary one,
    * or one that Spark's maintenance deletes: a killed driver may leave it or not.
    */
  private def copyTree(from: Path, to: Path): Unit = {
    val copy = new SimpleFileVisitor[Path] {
      override def preVisitDirectory(folder: Path, attributes: BasicFileAttributes): FileVisitResult = {
        Files.createDirectories(target(folder))
        FileVisitResult.CONTINUE
      }

      override def visitFile(file: Path, attributes: BasicFileAttributes): FileVisitResult = {
        if (!file.getFileName.toString.contains(".tmp"))
          try Files.copy(file, target(file))
          catch { case _: NoSuchFileException => }
        FileVisitResult.CONTINUE
      }

      override def visitFileFailed(file: Path, failure: IOException): FileVisitResult = failure match {
        case _: NoSuchFileException => FileVisitResult.CONTINUE
        case other                  => throw other
      }

      private def target(path: Path) = to.resolve(from.relativize(path).toString)
    }
    Files.walkFileTree(from, copy)
  }
}
