package dev.sparkwindowing.spark.migrate

import dev.sparkwindowing.checkpoints.MigratedOperator
import dev.sparkwindowing.pieces.PieceSizes
import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.checkpoint.{BatchLogs, LayoutFile, SourcesCheck, SpecificationFile}
import dev.sparkwindowing.spark.operators.SessionOperator
import dev.sparkwindowing.spark.plan.{StateStoreRules, StatefulInput, WindowNode}
import dev.sparkwindowing.spark.rescale.{CheckpointCopy, OperatorStore, StateMove}
import org.apache.spark.sql.{DataFrame, SparkSession, SparkWindowingBridge}

import scala.util.{Success, Try}

/** Writes the checkpoint of a query anew for another query. */
private[sparkwindowing] object Migrate {

  /** @param sources
    *   for each source of the result its number in the checkpoint, None if it is new; None to find that out
    */
  def apply(
      checkpoint: String,
      result: DataFrame,
      to: String,
      sources: Option[Seq[Option[Int]]]
  ): Seq[MigratedOperator] = {
    val query = SparkWindowingBridge.analyzedPlan(result)
    val nodes = query.collect { case node: WindowNode if node.child.isStreaming => node }
    if (nodes.isEmpty)
      throw new IllegalArgumentException(
        s"${Code.name("migrate")} takes the result of windows on a stream, as ${Code.name("aggregate")}(..) gave it back"
      )
    query.find(node => StatefulInput.isStateful(node) && !node.isInstanceOf[WindowNode]).foreach { other =>
      throw new UnsupportedOperationException(
        s"the query has ${other.nodeName}, an operator of Spark with state, and ${Code.name("migrate")} writes that of windows " +
          "only: start it with a new checkpointLocation"
      )
    }
    val spark = result.sparkSession
    SparkWindowingBridge.within(spark) {
      SessionOperator.refuse(query)
      val copy   = new CheckpointCopy(spark, checkpoint, to, "migrate")
      val batch  = copy.begin()
      val stored = copy.windowOperators().map(id => id -> new SpecificationFile(copy.stateOf(copy.from), id, copy.conf))
      val changes =
        paired(stored.map { case (id, file) => id -> file.tree(batch) }, nodes)(OperatorChange.of(_, _, query))
      val offsets = copy.oldLogs.offsets(batch)
      val places  = SourcePlaces.of(offsets, SourcesCheck.sources(query), sources)
      refuseTimes(copy, places)
      write(spark, copy, batch, changes, places)
    }
  }

  // The operators of a checkpoint have no names: an unchanged one is that with its specification.
  private def paired[A](stored: Seq[(Long, A)], nodes: Seq[WindowNode])(
      change: (A, WindowNode) => OperatorChange
  ): Seq[(Long, OperatorChange)] = {
    if (stored.size != nodes.size)
      throw new IllegalArgumentException(
        s"the query has ${nodes.size} window operators and the checkpoint ${stored.size}: an operator more or less has no " +
          "state that would be right"
      )
    val all = nodes.permutations
      .take(MostOrders)
      .map { order =>
        Try(stored.zip(order).map { case ((id, was), node) => id -> change(was, node) })
      }
      .toSeq
    val fitting = all.collect { case Success(changes) => changes }
    val least   = fitting
      .groupBy(_.count(!_._2.isSame))
      .toSeq
      .sortBy(_._1)
      .headOption
      .fold(Seq.empty[Seq[(Long, OperatorChange)]])(_._2)
    // Those with the same windows may take each other's place.
    if (least.map(_.map { case (id, change) => id -> change.tree }).distinct.size > 1)
      throw new IllegalArgumentException(
        s"which of the ${nodes.size} window operators is which one of the checkpoint cannot be told: change one of them at a " +
          s"time, each with a call of ${Code.name("migrate")}"
      )
    least.headOption.getOrElse(all.head.get)
  }

  private val MostOrders = 720

  // They are kept by the number of the watermark among those of the query.
  private def refuseTimes(copy: CheckpointCopy, places: Seq[Option[Int]]): Unit = {
    val stay = places.zipWithIndex.takeWhile { case (place, i) => place.contains(i) }.size
    if (copy.files.hasPartitionTimes && places.drop(stay).exists(_.isDefined))
      throw new IllegalArgumentException(
        s"the checkpoint has watermarks by partition, whose inputs are known by their order: let those that were there come " +
          "first, and new ones behind them"
      )
  }

  private def write(
      spark: SparkSession,
      copy: CheckpointCopy,
      batch: Long,
      changes: Seq[(Long, OperatorChange)],
      places: Seq[Option[Int]]
  ): Seq[MigratedOperator] = {
    val settings   = copy.oldLogs.settings(batch)
    val partitions = copy.partitionsOf(settings)
    copy.refuseStore(settings)
    copy.claim()
    copy.files.copyTo(copy.to, partitions, Some(places))
    val pieces = StateStoreRules.of(SparkWindowingBridge.settings(spark, settings)).pieces
    val move   = new StateMove(spark, partitions, partitions, "migrate")
    val moved  = changes.map { case (id, change) =>
      val (old, anew)   = copy.stores(batch, settings, id)
      val (store, sums) = move(old, anew, rewrite(change, old, pieces))
      new SpecificationFile(copy.stateOf(copy.to), id, copy.conf).replace(change.tree)
      if (!change.isSame) LayoutFile.remove(copy.stateOf(copy.to), id, copy.conf)
      store.of.ids -> MigratedOperator(
        id,
        sums.rows,
        sums.bytes,
        change.buffer.fold(Seq.empty[String])(_.added),
        change.buffer.fold(Seq.empty[String])(_.dropped)
      )
    }
    copy.oldLogs.copyTo(
      copy.newLogs,
      batch,
      Map.empty,
      moved.map { case (ids, of) => of.operatorId -> ids }.toMap,
      before => places.map(_.flatMap(before.lift).getOrElse(BatchLogs.NoOffset))
    )
    copy.complete(batch)
    moved.map(_._2)
  }

  private def rewrite(change: OperatorChange, store: OperatorStore, pieces: Option[PieceSizes]): Option[KeyRewrite] =
    if (change.buffer.isEmpty && (change.fingerprint.isEmpty || change.isSame)) None
    else
      Some(
        KeyRewrite(
          change.kept,
          change.buffer,
          change.fingerprint,
          store.of.keys.length,
          store.of.values,
          if (store.isNative) pieces else None
        )
      )
}
