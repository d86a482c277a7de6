package dev.sparkwindowing.bench.streams

import org.apache.spark.sql.SparkSession

import java.nio.file.attribute.FileTime
import java.nio.file.{Files, Path, StandardCopyOption}
import java.sql.Timestamp
import java.util.Comparator
import scala.jdk.CollectionConverters._

/** Writes events as Parquet files (`key BIGINT, ts TIMESTAMP, value DOUBLE`), in order of their numbers.
  *
  * Names and modification times rise, so that a stream with one file a trigger reads them in that order.
  */
object EventFiles {

  /** Bytes: a file is of several row groups, so that two tasks can read it. */
  private val RowGroup = 1L << 20

  /** Writes `events` into `folder`, `rows` a file; does nothing if a run before has finished that. */
  def write(events: Events, rows: Long, folder: Path): Unit =
    if (!Files.exists(folder)) {
      val parent  = Files.createDirectories(folder.toAbsolutePath.getParent)
      val growing = Files.createTempDirectory(parent, "growing")
      val spark   = SparkSession
        .builder()
        .master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
        .getOrCreate()
      try
        (0L until events.count by rows).zipWithIndex.foreach { case (from, n) =>
          writeFile(spark, events, from, math.min(from + rows, events.count), growing, n)
        }
      finally spark.stop()
      Files.move(growing, folder)
    }

  private def writeFile(spark: SparkSession, events: Events, from: Long, until: Long, folder: Path, n: Int): Unit = {
    import spark.implicits._
    val parts = folder.resolve("parts")
    spark
      .range(from, until, 1, 1)
      .map(i => (events.key(i), new Timestamp(events.time(i)), events.value(i)))
      .toDF("key", "ts", "value")
      .write
      .option("parquet.block.size", RowGroup)
      .parquet(parts.toString)
    val files = Files.walk(parts).iterator.asScala.toVector
    val file  = folder.resolve(f"$n%06d.parquet")
    Files.move(files.filter(_.toString.endsWith(".parquet")).head, file, StandardCopyOption.ATOMIC_MOVE)
    Files.setLastModifiedTime(file, FileTime.fromMillis(1700000000000L + n * 1000L))
    Files.walk(parts).sorted(Comparator.reverseOrder[Path]).iterator.asScala.foreach(Files.delete(_))
  }
}
