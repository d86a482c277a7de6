package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.{EventTimeSessionWindows, TumblingEventTimeWindows}
import dev.sparkwindowing.spark.plan.SessionSettings
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, SparkTestBridge}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration

/** Every setting of Spark that touches state, watermarks or the planning of streams: a query with restarts gives the
  * same rows as without it, or is refused by name ([[StartSpec]]).
  */
class SettingsSpec extends AnyFunSuite with SharedSpark {
  import Event.at
  import SettingsSpec._

  // A window over sessions: two operators, one of them behind the other.
  private def windows(rows: DataFrame): DataFrame = {
    val sessions = SparkWindowing
      .keyBy(rows, Seq(col("key")))
      .window(EventTimeSessionWindows.withGap(Duration.ofSeconds(5)))
      .aggregate(count(lit(1)).as("n"))
    SparkWindowing
      .keyBy(sessions, Seq(col("key")))
      .window(TumblingEventTimeWindows.of(Duration.ofSeconds(60)))
      .aggregate(count(lit(1)).as("sessions"), sum("n").as("n"))
  }

  private def run(settings: Map[String, String]): Seq[String] = {
    val session = spark.newSession()
    settings.foreach { case (key, value) => session.conf.set(key, value) }
    val q = new DrivenQuery(session)(windows)
    try {
      q.start()
      val first = q.batch(at("a", 1, 1000), at("b", 1, 2000), at("a", 1, 5000))
      q.restart()
      val all = first ++ q.batch(at("a", 1, 20000)) ++ Seq(100000L, 200000L, 300000L, 400000L).flatMap(q.watermark)
      WindowText.of(all)
    } finally q.stop()
  }

  private lazy val usual = run(Map.empty)

  test("as Spark is set by default") {
    assert(usual == Seq("a [0, 60000) 2 3", "b [0, 60000) 1 1"))
  }

  for ((name, settings) <- Together) test(s"the same rows: $name") {
    assert(run(settings) == usual)
  }

  test("every setting of streams is tried, refused or known to be of other things") {
    val known   = Together.flatMap(_._2.keys).toSet ++ SessionSettings.All.map(_.key)
    val unknown = SparkTestBridge.settings.filter(_.startsWith(Streaming)).filterNot { key =>
      known(key) || Elsewhere.exists(e => key.startsWith(Streaming + e))
    }
    assert(
      unknown.sorted.isEmpty,
      "not in the list of this test: try it, refuse it in SessionSettings, or say that it is of other things"
    )
    // Older versions have fewer.
    if (BuildInfo.sparkLine == "4.1") {
      val gone = Elsewhere.filterNot(e => SparkTestBridge.settings.exists(_.startsWith(Streaming + e)))
      assert(gone.isEmpty, "no setting begins so")
    }
  }
}

object SettingsSpec {
  private val Streaming = "spark.sql.streaming."
  private val State     = Streaming + "stateStore."

  private val RocksDb = StateStores.all(1)._2.map { case (name, value) => State + name -> value }

  /** Settings that are tried at once. */
  private val Together: Seq[(String, Map[String, String])] = Seq(
    "no micro-batches without data"    -> Map(Streaming + "noDataMicroBatches.enabled" -> "false"),
    "little is kept, and checked less" -> Map(
      Streaming + "multipleWatermarkPolicy"         -> "max",
      Streaming + "minBatchesToRetain"              -> "2",
      Streaming + "maxBatchesToRetainInMemory"      -> "0",
      State + "minDeltasForSnapshot"                -> "1",
      State + "maxVersionsToDeletePerMaintenance"   -> "1",
      State + "unloadOnCommit"                      -> "true",
      State + "compression.codec"                   -> "zstd",
      State + "formatValidation.enabled"            -> "false",
      State + "commitValidation.enabled"            -> "false",
      State + "stateSchemaCheck"                    -> "false",
      State + "maxNumStateSchemaFiles"              -> "1",
      Streaming + "checkpoint.fileChecksum.enabled" -> "false"
    ),
    "state in RocksDB, in the newest form" -> (RocksDb ++ Map(
      State + "rocksdb.changelogCheckpointing.enabled" -> "true",
      State + "checkpointFormatVersion"                -> "2",
      State + "rowChecksum.enabled"                    -> "true",
      State + "rowChecksum.readVerificationRatio"      -> "1",
      State + "rocksdb.mergeOperatorVersion"           -> "1",
      State + "rocksdb.formatVersion"                  -> "5"
    )),
    "no checks, and old forms of state" -> Map(
      Streaming + "unsupportedOperationCheck"                           -> "false",
      Streaming + "statefulOperator.checkCorrectness.enabled"           -> "false",
      Streaming + "statefulOperator.useStrictDistribution"              -> "false",
      Streaming + "validateEventTimeWatermarkColumn"                    -> "false",
      Streaming + "flatMapGroupsWithState.stateFormatVersion"           -> "1",
      Streaming + "flatMapGroupsWithState.skipEmittingInitialStateKeys" -> "true",
      Streaming + "aggregation.stateFormatVersion"                      -> "1",
      Streaming + "optimizeOneRowPlan.enabled"                          -> "true",
      "spark.sql.optimizer.excludedRules" -> Seq("ColumnPruning", "CollapseProject", "PushDownPredicates")
        .map("org.apache.spark.sql.catalyst.optimizer." + _)
        .mkString(",")
    ),
    "other words, another clock on the wall, and no generated code" -> Map(
      "spark.sql.ansi.enabled"        -> "false",
      "spark.sql.caseSensitive"       -> "true",
      "spark.sql.session.timeZone"    -> "Asia/Kathmandu",
      "spark.sql.adaptive.enabled"    -> "true",
      "spark.sql.adaptive.forceApply" -> "true",
      "spark.sql.shuffle.partitions"  -> "5",
      "spark.sql.codegen.wholeStage"  -> "false",
      "spark.sql.codegen.factoryMode" -> "NO_CODEGEN"
    ),
    "generated code only" -> Map("spark.sql.codegen.factoryMode" -> "CODEGEN_ONLY")
  )

  /** Prefixes of settings for other things: sources, sinks, logs, Spark's web page, other operators of Spark. */
  private val Elsewhere = Seq(
    "asyncLogPurge",
    "checkUnfinishedRepartitionOnRestart",
    "checkpoint.escapedPathCheck",
    "checkpoint.fileChecksum.skip",
    "checkpoint.renamedFileCheck",
    "checkpoint.verifyMetadataExists",
    "checkpointLocation",
    "commitProtocolClass",
    "continuous.",
    "disabledV2",
    "file",
    "forceDeleteTempCheckpointLocation",
    "internal.stateStore.partitions",
    "join.",
    "kafka.",
    "metadataCache",
    "metricsEnabled",
    "noDataProgressEventInterval",
    "numRecentProgressUpdates",
    "offsetLog.",
    "pollingDelay",
    "queryEvolution.",
    "ratioExtraSpaceAllowedInCheckpoint",
    "realTimeMode.",
    "schemaInference",
    "sessionWindow.",
    "stateStore.autoSnapshotRepair",
    "stateStore.coordinatorReport",
    "stateStore.fileChecksumThreadPoolSize",
    "stateStore.forceSnapshotUploadOnLag",
    "stateStore.maintenance",
    "stateStore.maxLaggingStoresToReport",
    "stateStore.multiplierForMin",
    "stateStore.num",
    "stateStore.skipNullsForStreamStreamJoins",
    "stateStore.snapshotLagReportInterval",
    "stateStore.valueStateSchemaEvolutionThreshold",
    "stop",
    "streamingQueryListeners",
    "transformWithState.",
    "triggerAvailableNowWrapper",
    "ui.",
    "verifyCheckpointDirectoryEmptyOnStart"
  )
}
