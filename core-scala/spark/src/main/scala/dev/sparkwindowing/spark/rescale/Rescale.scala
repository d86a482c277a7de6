package dev.sparkwindowing.spark.rescale

import dev.sparkwindowing.checkpoints.RescaledOperator
import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.checkpoint.{BatchLogs, SpecificationFile, StoredRows, UnfinishedMark}
import dev.sparkwindowing.spark.links.{LinkedFeature, SparkLinks}
import dev.sparkwindowing.spark.plan.StateStoreRules
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.execution.streaming.state.StateStoreConf
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{SparkSession, SparkWindowingBridge}
import org.apache.spark.util.SerializableConfiguration

import scala.util.Try

/** Writes a checkpoint anew with another number of partitions. The old one stays as it is, and the new one is marked
  * until it is complete: so no query starts on a part of it, wherever this ends. Nothing is deleted.
  */
private[sparkwindowing] object Rescale {

  def apply(spark: SparkSession, checkpoint: String, to: String, partitions: Int): Seq[RescaledOperator] = {
    if (partitions < 1)
      throw new IllegalArgumentException(s"${Code.name("partitions")} must be 1 or more, got $partitions")
    SparkLinks.require(LinkedFeature.Rescale, "Rescale the checkpoint with an open-source Spark of the same version")
    val conf = SparkWindowingBridge.hadoopConf(spark)
    // Tasks may have another working directory.
    def whole(path: String) = new Path(path).getFileSystem(conf).makeQualified(new Path(path))
    new Rescale(spark, whole(checkpoint), whole(to), partitions).run()
  }
}

private final class Rescale(spark: SparkSession, from: Path, to: Path, partitions: Int) {
  private[this] val conf: Configuration = SparkWindowingBridge.hadoopConf(spark)
  private[this] val (oldLogs, newLogs)  = (new BatchLogs(from, conf), new BatchLogs(to, conf))
  private[this] val files               = new CheckpointFiles(from, conf)

  def run(): Seq[RescaledOperator] = {
    refuseTarget()
    refuseRunning()
    val batch     = oldLogs.lastBatch
    val operators = windowOperators()
    val settings  = oldLogs.settings(batch)
    val before    = partitionsOf(settings)
    refuseStore(settings)
    claimTarget()
    files.copyTo(to, partitions)
    val move  = new StateMove(spark, before, partitions)
    val moved = operators.map { id =>
      val (old, copy) = stores(batch, settings, id)
      move(old, copy)
    }
    oldLogs.copyTo(newLogs, batch, Map(Partitions -> s"$partitions"), moved.map(m => m._1.operator -> m._1.ids).toMap)
    newLogs.writeQueryId()
    refuseProgress(batch)
    UnfinishedMark.remove(to, conf)
    moved.map { case (store, sums) =>
      RescaledOperator(store.operator, before, partitions, sums.rows, sums.bytes, sums.checksum)
    }
  }

  private def refuseTarget(): Unit = {
    Seq(from, to).flatMap(UnfinishedMark.refusal(_, conf)).foreach(why => throw new IllegalArgumentException(why))
    if (contents.nonEmpty)
      throw new IllegalArgumentException(s"$to is not empty: give a new folder for the rescaled checkpoint")
    if (s"$to/".startsWith(s"$from/"))
      throw new IllegalArgumentException(s"$to is in the old checkpoint $from: give a folder beside it")
  }

  // Nobody else writes to a folder with the mark: it can be made once, and whatever came before it is there now.
  private def claimTarget(): Unit = {
    UnfinishedMark.set(to, from, conf)
    val others = contents.filterNot(_ == UnfinishedMark.Name)
    if (others.nonEmpty)
      throw new IllegalArgumentException(
        s"$to is not empty any more, it has ${others.mkString(" and ")}: give a new folder for the rescaled checkpoint"
      )
  }

  private def contents: Seq[String] = {
    val target = to.getFileSystem(conf)
    if (target.exists(to)) target.listStatus(to).toSeq.map(_.getPath.getName) else Nil
  }

  private def refuseRunning(): Unit =
    if (oldLogs.queryId.exists(SparkWindowingBridge.isActive(spark, _)))
      throw new IllegalArgumentException(
        s"the query of $from is running: stop it with query.stop(), and call ${Code.name("rescale")} again"
      )

  // Another application may run it.
  private def refuseProgress(batch: Long): Unit = {
    refuseRunning()
    if (!Try(oldLogs.lastBatch).toOption.contains(batch))
      throw new IllegalArgumentException(
        s"the query of $from has gone on behind micro-batch $batch meanwhile: stop it, and call ${Code.name("rescale")} again"
      )
  }

  private def windowOperators(): Seq[Long] = {
    val all    = files.operators
    val ours   = SpecificationFile.operators(stateOf(from), conf)
    val others = (all -- ours).toSeq.sortBy(_._1)
    others.foreach { case (id, name) =>
      throw new UnsupportedOperationException(
        s"operator $id of $from is ${name.getOrElse("one")} of Spark, whose state ${Code.name("rescale")} cannot move: it moves " +
          "that of windows"
      )
    }
    if (ours.isEmpty)
      throw new IllegalArgumentException(
        s"$from holds no state of a window operator: give the checkpointLocation of a query with a window"
      )
    ours
  }

  private def refuseStore(settings: Map[String, String]): Unit = {
    val provider = SparkWindowingBridge.settings(spark, settings).stateStoreProviderClass
    if (!StateStoreRules.isOfSpark(provider))
      throw new UnsupportedOperationException(
        s"the state of $from is in $provider, and ${Code.name("rescale")} moves that of Spark's own stores only"
      )
  }

  private def partitionsOf(settings: Map[String, String]): Int =
    settings.get(Partitions).flatMap(n => Try(n.toInt).toOption).getOrElse {
      throw new IllegalStateException(s"$from does not say how many partitions its state has: $Partitions is missing")
    }

  // The old one and the new one.
  private def stores(batch: Long, settings: Map[String, String], operator: Long): (OperatorStore, OperatorStore) = {
    val columns                           = StoredRows.of(spark, from.toString, operator, Some(batch)).schema
    def typed(row: String)                = columns(row).dataType.asInstanceOf[StructType]
    val ids                               = oldLogs.stateIds(batch, operator)
    val own                               = Absent ++ settings + (Format -> (if (ids.isEmpty) "1" else "2"))
    def of(settings: Map[String, String]) = new StateStoreConf(SparkWindowingBridge.settings(spark, settings))
    val old                               = OperatorStore(
      stateOf(from),
      operator,
      !new SpecificationFile(stateOf(from), operator, conf).isOfPortable,
      typed("key"),
      typed("value"),
      version = batch + 1,
      ids,
      of(own),
      new SerializableConfiguration(conf)
    )
    (old, old.copy(state = stateOf(to), settings = of(own ++ Written)))
  }

  private def stateOf(checkpoint: Path): String = new Path(checkpoint, "state").toString

  // What Spark takes where a checkpoint of an older one does not say it, whatever the session has.
  private val Absent = Map(
    "spark.sql.streaming.stateStore.rowChecksum.enabled" -> "false",
    "spark.sql.streaming.stateStore.encodingFormat"      -> "unsaferow"
  )
  private val Partitions = "spark.sql.shuffle.partitions"
  private val Format     = "spark.sql.streaming.stateStore.checkpointFormatVersion"
  private val Written    = Map(
    // The state is written whole, as a snapshot.
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled" -> "false",
    // A file is renamed after it was written.
    "spark.sql.streaming.checkpoint.fileChecksum.enabled" -> "false"
  )
}
