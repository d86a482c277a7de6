package dev.sparkwindowing.spark.rescale

import dev.sparkwindowing.assigners.TumblingEventTimeWindows
import dev.sparkwindowing.checkpoints.RescaledOperator
import dev.sparkwindowing.spark._
import dev.sparkwindowing.spark.checkpoint.UnfinishedMark
import dev.sparkwindowing.spark.exec.StoredBlocks
import dev.sparkwindowing.spark.links.OperatorSetting
import dev.sparkwindowing.spark.plan.StateLimits
import dev.sparkwindowing.{SparkWindowing, SparkWindowingExtensions}
import org.apache.commons.io.FileUtils
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.spark.SparkException
import org.apache.spark.scheduler.{SparkListener, SparkListenerJobStart}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, SparkSession, SparkTestBridge}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow

import java.nio.file.{Files, Path, StandardCopyOption}
import java.time.Duration.ofSeconds
import scala.jdk.CollectionConverters._
import scala.reflect.ClassTag

/** Content of a rescaled checkpoint, the old one after that, and refusals. */
@Slow
class RescaledCheckpointSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private def counts(events: DataFrame): DataFrame = SparkWindowing
    .keyBy(events, Seq(col("key")))
    .window(TumblingEventTimeWindows.of(ofSeconds(10)))
    .aggregate(count(lit(1)).as("n"))

  private val eleven = (0 until 11).map(i => at(s"k$i", i, 1000L + i))

  /** A query with a key in each of some partitions, which has run two micro-batches. */
  private def stopped(on: SparkSession = spark, build: DataFrame => DataFrame = counts): DrivenQuery = {
    val q = new DrivenQuery(on)(build).start()
    q.batch(eleven: _*)
    q.batch(at("k0", 1, 2000))
    q.stop()
  }

  private def rescale(q: DrivenQuery, to: Path, partitions: Int = 5): Seq[RescaledOperator] =
    SparkWindowing.rescale(spark, q.checkpoint.toString, to.toString, partitions)

  private def text(checkpoint: Path, file: String) = Files.readString(checkpoint.resolve(file))

  // The bytes of all files by their path.
  private def contents(folder: Path): Map[String, Seq[Byte]] =
    Files
      .walk(folder)
      .iterator
      .asScala
      .filter(Files.isRegularFile(_))
      .map(f => folder.relativize(f).toString -> Files.readAllBytes(f).toSeq)
      .toMap

  test("it has another query id, the new number of partitions, and the last micro-batch; the old one stays as it was") {
    val q      = stopped()
    val before = contents(q.checkpoint)
    val to     = Rescaled.folder()
    val moved  = rescale(q, to)
    assert(moved.map(m => (m.operatorId, m.before, m.partitions, m.rows)) == Seq((0L, 3, 5, 11L)))
    assert(contents(q.checkpoint) == before)
    assert(text(to, "metadata") != text(q.checkpoint, "metadata"))
    val last =
      Files.list(q.checkpoint.resolve("offsets")).iterator.asScala.flatMap(_.getFileName.toString.toIntOption).max
    for (log <- Seq("offsets", "commits"); batch <- Seq(last)) {
      def plain(checkpoint: Path) =
        text(checkpoint, s"$log/$batch").replaceAll("\"spark.sql.shuffle.partitions\":\"\\d\"", "")
      assert(plain(to) == plain(q.checkpoint), log)
    }
    assert(text(to, s"offsets/$last").contains("\"spark.sql.shuffle.partitions\":\"5\""))
    if (!spark.version.startsWith("3.")) assert(text(to, "state/0/_metadata/metadata").contains("\"numPartitions\":5"))
    assert((0 until 5).forall(p => Files.list(to.resolve(s"state/0/$p")).count() > 0))
    assert(SparkWindowing.readState(spark, to.toString).count() == 11)
    assert(rescale(q, Rescaled.folder(), partitions = 2).map(_.checksum) == moved.map(_.checksum))
  }

  test("the old checkpoint goes on too") {
    val q   = stopped()
    val old = q.checkpoint
    val _   = Rescaled(spark, q, 7)
    q.stop()
    val there = WindowText.of(q.moveTo(old).watermark(20000))
    q.stop()
    assert(there.size == 11)
  }

  test("what a partition says of its keys is not carried over") {
    val own = spark.newSession()
    own.conf.set(StateLimits.SavedSetting, 1)
    val q                = stopped(own)
    def rows(path: Path) = StoredBlocks.rows(own, path, 1, StructType.fromDDL("key string")).size
    val to               = Rescaled.folder()
    val moved            = rescale(q, to)
    assert(rows(q.checkpoint) == 11 + 3)
    assert(rows(to) == 11 && moved.map(_.rows) == Seq(11L))
  }

  private def refused[E <: Exception: ClassTag](
      q: DrivenQuery,
      to: Path = Rescaled.folder(),
      partitions: Int = 5
  )(
      texts: String*
  ): Unit = {
    val there = Files.exists(to)
    val e     = intercept[E](rescale(q, to, partitions))
    texts.foreach(text => assert(e.getMessage.contains(text), e.getMessage))
    assert(there || !Files.exists(to) || Files.exists(to.resolve(UnfinishedMark.Name)))
  }

  test("a query that runs") {
    val q = new DrivenQuery(spark)(counts).start()
    try {
      q.batch(eleven: _*)
      refused[IllegalArgumentException](q)("is running: stop it with query.stop()")
    } finally q.stop()
  }

  test("a query that has stopped within a micro-batch: one start with availableNow completes it") {
    val q = stopped()
    Files.copy(q.checkpoint.resolve("offsets/1"), q.checkpoint.resolve("offsets/2"))
    refused[IllegalArgumentException](q)(
      "micro-batch 2 of ",
      "was begun and is not complete. If the query still runs, stop it. Start it once with .trigger(Trigger.AvailableNow())"
    )
  }

  // Does something when a job of a rescale begins.
  private def atJob(name: String)(act: => Unit)(work: => Unit): Unit = {
    val listener = new SparkListener {
      override def onJobStart(job: SparkListenerJobStart): Unit =
        if (
          Option(job.properties.getProperty("spark.job.description"))
            .exists(_.startsWith(s"rescale, operator 0: $name"))
        )
          act
    }
    spark.sparkContext.addSparkListener(listener)
    try work
    finally spark.sparkContext.removeSparkListener(listener)
  }

  test("a query that goes on meanwhile, in another application: the new one stays marked") {
    val q        = stopped()
    val to       = Rescaled.folder()
    var isMarked = false
    atJob("writes") {
      isMarked = Files.exists(to.resolve(UnfinishedMark.Name)) && !Files.exists(to.resolve("metadata"))
      val _ = Files.copy(q.checkpoint.resolve("offsets/1"), q.checkpoint.resolve("offsets/2"))
    }(refused[IllegalArgumentException](q, to)("has gone on behind micro-batch 1 meanwhile: stop it"))
    assert(isMarked)
  }

  // Puts the state of one partition in the place of another before the rows are compared.
  private def refusedWithSwapped[E <: Exception: ClassTag](partitions: Int)(swapped: (Int => Path) => (Path, Path))(
      texts: String*
  ): Unit = {
    val q                    = stopped()
    val to                   = Rescaled.folder()
    def file(partition: Int) = to.resolve(s"state/0/$partition/2.snapshot")
    def sum(file: Path)      = file.resolveSibling(s".${file.getFileName}.crc")
    atJob("compares") {
      val (from, other) = swapped(file)
      Files.copy(from, other, StandardCopyOption.REPLACE_EXISTING)
      Files.copy(sum(from), sum(other), StandardCopyOption.REPLACE_EXISTING)
    }(refused[E](q, to, partitions)(texts: _*))
    refused[IllegalArgumentException](q, to)(s"$to is half-written: rescale of file:${q.checkpoint} did not end")
  }

  test("a partition that has lost its rows") {
    refusedWithSwapped[IllegalStateException](30) { file =>
      val bySize = (0 until 30).map(file).sortBy(Files.size)
      (bySize.head, bySize.last)
    }("operator 0 has RowSums(11,", "was written to")
  }

  test("rows in another partition") {
    refusedWithSwapped[SparkException](2)(file => (file(0), file(1)))("a key of operator 0 is in partition 1 of ")
  }

  test("no checkpoint, no complete micro-batch, no operator with windows") {
    val q = new DrivenQuery(spark)(counts)
    refused[IllegalArgumentException](q)("holds no complete micro-batch")
    val plain = stopped(build = _.select("key"))
    refused[IllegalArgumentException](plain)("holds no state of a window operator")
  }

  test("an operator of Spark's, by name") {
    val q = stopped(build = events => counts(events.dropDuplicatesWithinWatermark("key")))
    // Spark 3.5 writes no names.
    val name = if (spark.version.startsWith("3.")) "one" else "dedupeWithinWatermark"
    refused[UnsupportedOperationException](q)(
      s"of file:${q.checkpoint} is $name of Spark, whose state rescale cannot move"
    )
  }

  test("another state store") {
    val own = spark.newSession()
    val key = "spark.sql.streaming.stateStore.providerClass"
    own.conf.set(key, classOf[org.apache.spark.sql.OtherStoreProvider].getName)
    refused[UnsupportedOperationException](stopped(own))(
      "OtherStoreProvider, and rescale moves that of Spark's own stores"
    )
  }

  test("a folder that is not empty, or in the old one; no partitions") {
    val q  = stopped()
    val to = Rescaled.folder()
    rescale(q, to)
    refused[IllegalArgumentException](q, to)(s"$to is not empty: give a new folder")
    refused[IllegalArgumentException](q, q.checkpoint.resolve("new"))("is in the old checkpoint")
    refused[IllegalArgumentException](q, partitions = 0)("partitions must be 1 or more, got 0")
  }

  test("a key in a partition that is not that of its hash") {
    val q     = stopped()
    val state = q.checkpoint.resolve("state/0")
    val other = state.resolve("other")
    Files.move(state.resolve("0"), other)
    Files.move(state.resolve("1"), state.resolve("0"))
    Files.move(other, state.resolve("1"))
    if (!Files.exists(state.resolve("0/_metadata")))
      Files.move(state.resolve("1/_metadata"), state.resolve("0/_metadata"))
    refused[Exception](q)("a key of operator 0 is in partition ", "this state cannot be moved")
  }

  test("a state that cannot be read") {
    val q = stopped()
    Files.list(q.checkpoint.resolve("state/0/1")).iterator.asScala.filter(Files.isRegularFile(_)).foreach(Files.delete)
    refused[Exception](q)("1.delta")
  }

  // The settings that a checkpoint fixes: an older Spark writes fewer.
  private def withoutSetting(q: DrivenQuery, name: String): Unit =
    for (batch <- 0 to 1) {
      val file = q.checkpoint.resolve(s"offsets/$batch")
      Files.delete(file.resolveSibling(s".$batch.crc"))
      val text    = Files.readString(file)
      val without = text.replaceFirst(s"\"$name\":\"[^\"]*\",?", "").replace(",}", "}")
      val _       = Files.writeString(file, without)
    }

  test("a checkpoint that does not say the number of partitions") {
    val q = stopped()
    withoutSetting(q, "spark.sql.shuffle.partitions")
    refused[IllegalStateException](q)("does not say how many partitions its state has: spark.sql.shuffle.partitions")
  }

  test("a setting of the session is not one of a checkpoint that an older Spark has written") {
    val q       = stopped()
    val changed = "spark.sql.streaming.stateStore.encodingFormat"
    withoutSetting(q, changed)
    val own = spark.newSession()
    own.conf.set(changed, "avro")
    own.conf.set("spark.sql.streaming.stateStore.rowChecksum.enabled", true)
    val to = Rescaled.folder()
    assert(SparkWindowing.rescale(own, q.checkpoint.toString, to.toString, 5).map(_.rows) == Seq(11L))
    assert(WindowText.of(q.moveTo(to).watermark(20000)).size == 11)
    q.stop()
  }

  test("a path that Spark's reader of state does not find") {
    val q     = stopped()
    val there = Files.createDirectory(Rescaled.folder().resolveSibling(s"my checkpoint ${System.nanoTime}"))
    FileUtils.copyDirectory(q.checkpoint.toFile, there.toFile)
    def moved = SparkWindowing.rescale(spark, there.toString, Rescaled.folder().toString, 5)
    if (spark.version.startsWith("3.")) assert(moved.map(_.rows) == Seq(11L))
    else {
      val e = intercept[IllegalArgumentException](moved)
      assert(
        e.getMessage.contains(s"my checkpoint") && e.getMessage.contains("Copy the folder to one with another name")
      )
    }
  }

  test("of two calls with one folder, one takes it") {
    val to   = new HadoopPath(Rescaled.folder().toString)
    val conf = spark.sessionState.newHadoopConf()
    val from = Seq("one", "two").map(new HadoopPath(_))
    UnfinishedMark.set(to, from.head, "rescale", conf)
    intercept[java.io.IOException](UnfinishedMark.set(to, from.last, "rescale", conf))
    assert(UnfinishedMark.refusal(to, conf).exists(_.contains("rescale of one did not end")))
  }

  for (
    (name, session) <- Seq[(String, () => SparkSession)](
      "a running session"            -> (() => spark),
      "a session with the extension" -> (() => SparkTestBridge.sessionBeside(spark, new SparkWindowingExtensions)),
      "the portable operator"        -> (() => {
        val own = spark.newSession()
        own.conf.set(OperatorSetting.Name, "portable")
        own
      })
    )
  ) test(s"a checkpoint that is half-written is refused by a query and by rescale: $name") {
    val q  = stopped(session())
    val to = Rescaled.folder()
    Files.createDirectories(to)
    val place = new HadoopPath(to.toString)
    UnfinishedMark.set(place, new HadoopPath(q.checkpoint.toString), "rescale", spark.sessionState.newHadoopConf())
    val text  = s"$to is half-written: rescale of ${q.checkpoint} did not end, or still runs. If it does not, delete "
    val error = Changing.outcome(q.moveTo(to).settle()).swap.getOrElse(fail("the query was not refused"))
    q.stop()
    assert(error.contains(text), error)
    // Spark's own folders are empty.
    assert(
      contents(to).keySet.map(_.stripSuffix(".crc").stripPrefix(".")).subsetOf(Set(UnfinishedMark.Name, "metadata"))
    )
    val e = intercept[IllegalArgumentException](rescale(q, Rescaled.folder()))
    assert(e.getMessage.contains(text))
  }
}
