package dev.sparkwindowing.spark.rescale

import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.checkpoint.{BatchLogs, SpecificationFile, StoredRows, StoredVersion, UnfinishedMark}
import dev.sparkwindowing.spark.links.{LinkedFeature, SparkLinks}
import dev.sparkwindowing.spark.plan.StateStoreRules
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.execution.streaming.state.StateStoreConf
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{SparkSession, SparkWindowingBridge}
import org.apache.spark.util.SerializableConfiguration

import scala.util.Try

/** Writes a checkpoint anew. The old one stays as it is, and the new one is marked until it is complete: so no query
  * starts on a part of it, wherever this ends. Nothing is deleted.
  *
  * @param call
  *   the name of what the user calls
  */
private[spark] final class CheckpointCopy(spark: SparkSession, checkpoint: String, target: String, call: String) {
  SparkLinks.require(LinkedFeature.Rescale, s"Call $call in an open-source Spark of the same version")

  val conf: Configuration = SparkWindowingBridge.hadoopConf(spark)
  val from: Path          = whole(checkpoint)
  val to: Path            = whole(target)
  val oldLogs             = new BatchLogs(from, conf)
  val newLogs             = new BatchLogs(to, conf)
  val files               = new CheckpointFiles(from, conf)

  // Tasks may have another working directory.
  private def whole(path: String) = new Path(path).getFileSystem(conf).makeQualified(new Path(path))

  /** Refuses wrong places, and a query that has not stopped behind a micro-batch.
    *
    * @return
    *   that micro-batch
    */
  def begin(): Long = {
    refuseTarget()
    refuseRunning()
    oldLogs.lastBatch(call)
  }

  private def refuseTarget(): Unit = {
    Seq(from, to).flatMap(UnfinishedMark.refusal(_, conf)).foreach(why => throw new IllegalArgumentException(why))
    if (contents.nonEmpty)
      throw new IllegalArgumentException(s"$to is not empty: give a new folder for the new checkpoint")
    if (s"$to/".startsWith(s"$from/"))
      throw new IllegalArgumentException(s"$to is in the old checkpoint $from: give a folder beside it")
  }

  /** Takes the new place. Nobody else writes to a folder with the mark: it can be made once, and whatever came before
    * it is there now.
    */
  def claim(): Unit = {
    UnfinishedMark.set(to, from, call, conf)
    val others = contents.filterNot(_ == UnfinishedMark.Name)
    if (others.nonEmpty)
      throw new IllegalArgumentException(
        s"$to is not empty any more, it has ${others.mkString(" and ")}: give a new folder for the new checkpoint"
      )
  }

  private def contents: Seq[String] = {
    val target = to.getFileSystem(conf)
    if (target.exists(to)) target.listStatus(to).toSeq.map(_.getPath.getName) else Nil
  }

  private def refuseRunning(): Unit =
    if (oldLogs.queryId.exists(SparkWindowingBridge.isActive(spark, _)))
      throw new IllegalArgumentException(
        s"the query of $from is running: stop it with query.stop(), and call ${Code.name(call)} again"
      )

  /** Ends it, unless the query has gone on: another application may run it. */
  def complete(batch: Long): Unit = {
    newLogs.writeQueryId()
    refuseRunning()
    if (!Try(oldLogs.lastBatch(call)).toOption.contains(batch))
      throw new IllegalArgumentException(
        s"the query of $from has gone on behind micro-batch $batch meanwhile: stop it, and call ${Code.name(call)} again"
      )
    UnfinishedMark.remove(to, conf)
  }

  /** The operators, which must all be of windows. */
  def windowOperators(): Seq[Long] = {
    val all    = files.operators
    val ours   = SpecificationFile.operators(stateOf(from), conf)
    val others = (all -- ours).toSeq.sortBy(_._1)
    others.foreach { case (id, name) =>
      throw new UnsupportedOperationException(
        s"operator $id of $from is ${name.getOrElse("one")} of Spark, whose state ${Code.name(call)} cannot move: it moves " +
          "that of windows"
      )
    }
    if (ours.isEmpty)
      throw new IllegalArgumentException(
        s"$from holds no state of a window operator: give the checkpointLocation of a query with a window"
      )
    ours
  }

  def refuseStore(settings: Map[String, String]): Unit = {
    val provider = SparkWindowingBridge.settings(spark, settings).stateStoreProviderClass
    if (!StateStoreRules.isOfSpark(provider))
      throw new UnsupportedOperationException(
        s"the state of $from is in $provider, and ${Code.name(call)} moves that of Spark's own stores only"
      )
  }

  def partitionsOf(settings: Map[String, String]): Int =
    settings.get(CheckpointCopy.Partitions).flatMap(n => Try(n.toInt).toOption).getOrElse {
      throw new IllegalStateException(
        s"$from does not say how many partitions its state has: ${CheckpointCopy.Partitions} is missing"
      )
    }

  /** The stores of an operator: the old one and the new one. */
  def stores(batch: Long, settings: Map[String, String], operator: Long): (OperatorStore, OperatorStore) = {
    val columns                           = StoredRows.of(spark, from.toString, operator, Some(batch)).schema
    def typed(row: String)                = columns(row).dataType.asInstanceOf[StructType]
    val ids                               = oldLogs.stateIds(batch, operator)
    val own                               = BatchLogs.storeSettings(settings, ids)
    def of(settings: Map[String, String]) = new StateStoreConf(SparkWindowingBridge.settings(spark, settings))
    val isNative                          = !new SpecificationFile(stateOf(from), operator, conf).isOfPortable
    val old                               = StoredVersion(
      stateOf(from),
      operator,
      typed("key"),
      typed("value"),
      version = batch + 1,
      ids,
      of(own),
      new SerializableConfiguration(conf)
    )
    val anew = old.copy(state = stateOf(to), settings = of(own ++ Written))
    (OperatorStore(old, isNative), OperatorStore(anew, isNative))
  }

  /** The folder `state` of a checkpoint. */
  def stateOf(checkpoint: Path): String = new Path(checkpoint, "state").toString

  private def Written = Map(
    // The state is written whole, as a snapshot.
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled" -> "false",
    // A file is renamed after it was written.
    "spark.sql.streaming.checkpoint.fileChecksum.enabled" -> "false"
  )
}

private[spark] object CheckpointCopy {
  val Partitions = "spark.sql.shuffle.partitions"
}
