package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.spark.checkpoint.{PartitionTimesFiles, SpecificationFile}
import dev.sparkwindowing.watermarks.PartitionTimes
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters._

/** A checkpoint with a file that a newer release wrote is refused by name. Blocks and the portable operator's states
  * have a version byte, which DamagedBlocksSpec and PortableStateSpec change.
  */
class NewerReleaseSpec extends AnyFunSuite with SharedSpark {

  private lazy val conf  = spark.sessionState.newHadoopConf()
  private lazy val query = GoldenState.queries.head

  /** Raises the number at the end of the first line. */
  private def raise(file: Path): Unit = {
    val lines  = Files.readAllLines(file).asScala.toList
    val number = lines.head.split(' ').last
    Files.deleteIfExists(file.resolveSibling(s".${file.getFileName}.crc"))
    Files.write(file, (lines.head.stripSuffix(number) + (number.toInt + 1) :: lines.tail).asJava)
  }

  private def assertNamed(message: String, file: Path, found: String, known: String): Unit = {
    assert(message.contains(s"$file is '$found', and this release reads '$known': a newer release wrote it."))
    assert(message.contains("Run the query with that release, or start with a new checkpoint location."))
  }

  test("a specification: the query stops before its first micro-batch, and the state stays") {
    val q    = query.after(spark, GoldenState.First)
    val file = GoldenState.file(q, "specification")
    raise(file)
    def begun  = Files.list(q.checkpoint.resolve("offsets")).iterator.asScala.map(_.getFileName.toString).toSet
    val layout = GoldenState.file(q, "layout")
    val kept   = (begun, Files.readString(layout))
    val error  = Changing.outcome(q.start().settle()).swap.getOrElse(fail("the query was not refused"))
    q.stop()
    assertNamed(error, file, "spark-windowing specification 5", "spark-windowing specification 4")
    assert((begun, Files.readString(layout)) == kept, "no micro-batch began")
  }

  test("a specification of an older format is refused too") {
    val q    = query.after(spark, GoldenState.First)
    val file = GoldenState.file(q, "specification")
    val text = Files.readString(file)
    Files.deleteIfExists(file.resolveSibling(".specification.crc"))
    Files.writeString(file, text.replace("specification 4", "specification 3"))
    val error = Changing.outcome(q.start().settle()).swap.getOrElse(fail("the query was not refused"))
    q.stop()
    assert(
      error.contains("is 'spark-windowing specification 3', and this release reads 'spark-windowing specification 4'")
    )
    assert(error.contains("which wrote less of the query"))
  }

  test("a layout: the state is not shown") {
    val q    = query.after(spark, GoldenState.First)
    val file = GoldenState.file(q, "layout")
    raise(file)
    val error = intercept[IllegalStateException](SparkWindowing.readState(spark, q.checkpoint.toString).collect())
    assertNamed(error.getMessage, file, "spark-windowing layout 2", "spark-windowing layout 1")
  }

  test("the shift of a staggered grid") {
    val state = Files.createTempDirectory("checkpoint").resolve("state")
    val file  = state.resolve("0/_window/shift")
    def shift = new SpecificationFile(state.toString, 0, conf).shift(1234)
    assert(shift == 1234)
    raise(file)
    assertNamed(
      intercept[IllegalStateException](shift).getMessage,
      file,
      "spark-windowing shift 2",
      "spark-windowing shift 1"
    )
  }

  test("the times of partitions") {
    val state = Files.createTempDirectory("checkpoint").resolve("state")
    val file  = state.resolveSibling("watermarks/partitions-0/0")
    def times = new PartitionTimesFiles(state.toString, 0, "partition", conf)
    times.write(0, PartitionTimes.Empty)
    assert(times.before(1) == PartitionTimes.Empty)
    raise(file)
    val error = intercept[IllegalStateException](times.before(1)).getMessage
    assertNamed(error, file, "spark-windowing partitions 2", "spark-windowing partitions 1")
  }
}
