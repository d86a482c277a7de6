package dev.sparkwindowing.spark.rescale

import org.apache.spark.HashPartitioner
import org.apache.spark.rdd.{RDD, ShuffledRDD}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import org.apache.spark.sql.execution.UnsafeRowSerializer
import org.apache.spark.sql.execution.streaming.state.StateStore

/** Moves the state of one operator from a number of partitions to another, in jobs of the session.
  *
  * @param call
  *   the name of what the user calls
  */
private[spark] final class StateMove(spark: SparkSession, before: Int, after: Int, call: String) {
  private[this] val context = spark.sparkContext

  /** Writes all rows of one store to another, and reads both to compare them.
    *
    * @param rewrite
    *   what is done in the other store before its rows are committed
    * @return
    *   the other store with the ids of what was written, and the sums of its rows
    * @throws java.lang.IllegalStateException
    *   if the rows are not the same
    * @throws org.apache.spark.SparkException
    *   if a store cannot be read or written, or a key is in another partition than that of its hash
    */
  def apply(
      from: OperatorStore,
      to: OperatorStore,
      rewrite: Option[StateStore => Unit] = None
  ): (OperatorStore, RowSums) = {
    val read       = job(s"operator ${from.of.operator}: reads $before partitions")(sums(from, before))
    val partitions = job(s"operator ${from.of.operator}: writes $after partitions")(written(from, to, rewrite))
    val anew       = to.copy(of = to.of.copy(ids = partitions.flatMap(_.id)))
    val found      = job(s"operator ${from.of.operator}: compares $after partitions")(sums(anew, after))
    if (rewrite.isEmpty) refuseOthers(from, to, read, found)
    else {
      def all(of: WrittenPartition => RowSums) = partitions.map(of).foldLeft(RowSums.Zero)(_ + _)
      refuseOthers(from, to, read, all(_.taken))
      refuseOthers(to, to, all(_.kept), found)
    }
    (anew, found)
  }

  private def refuseOthers(from: OperatorStore, to: OperatorStore, expected: RowSums, found: RowSums): Unit =
    if (found != expected)
      throw new IllegalStateException(
        s"operator ${from.of.operator} has $expected in ${from.of.state}, and $found was written to ${to.of.state}"
      )

  // Shown by Spark's progress bar and its UI.
  private def job[A](what: String)(work: => A): A = {
    val outer = context.getLocalProperty(Description)
    context.setJobDescription(s"$call, $what")
    try work
    finally context.setJobDescription(outer)
  }

  private val Description = "spark.job.description"

  // Tasks answer with no class of this library: of a jar that was added later, theirs are other ones.
  private def sums(store: OperatorStore, partitions: Int): RowSums = numbers(partitions)
    .map { partition =>
      StateMove.numbersOf(RowSums.of(StateMove.placed(store, partition, partitions)))
    }
    .collect()
    .map(of)
    .foldLeft(RowSums.Zero)(_ + _)

  private def written(
      from: OperatorStore,
      to: OperatorStore,
      rewrite: Option[StateStore => Unit]
  ): Seq[WrittenPartition] = {
    val (old, moved) = (before, after)
    val rows         = numbers(old).flatMap(partition => StateMove.sent(from, partition, moved))
    StateMove
      .exchanged(rows, moved)
      .mapPartitionsWithIndex { (partition, rows) =>
        val one = to.write(partition, rows, rewrite)
        Iterator((one.id, StateMove.numbersOf(one.taken), StateMove.numbersOf(one.kept)))
      }
      .collect()
      .toSeq
      .map { case (id, taken, kept) => WrittenPartition(id, of(taken), of(kept)) }
  }

  private def of(numbers: (Long, Long, Long)): RowSums = RowSums(numbers._1, numbers._2, numbers._3)

  private def numbers(partitions: Int) = context.parallelize(0 until partitions, partitions)
}

private object StateMove {
  def numbersOf(sums: RowSums): (Long, Long, Long) = (sums.rows, sums.bytes, sums.checksum)

  /** The rows of a partition, of which each must belong to it. */
  def placed(store: OperatorStore, partition: Int, partitions: Int): Iterator[(UnsafeRow, UnsafeRow)] = {
    val place = new KeyPartition(store.of.keys, partitions)
    store.read(partition).map { case row @ (key, _) =>
      if (place(key) != partition)
        throw new IllegalStateException(
          s"a key of operator ${store.of.operator} is in partition $partition of ${store.of.state}, and its hash is that of " +
            s"partition ${place(key)}: this state cannot be moved"
        )
      row
    }
  }

  /** The rows of a partition as bytes, each with the partition to which it goes. */
  def sent(store: OperatorStore, partition: Int, to: Int): Iterator[(Int, UnsafeRow)] = {
    val place  = new KeyPartition(store.of.keys, to)
    val writer = new UnsafeRowWriter(2)
    store.read(partition).map { case (key, value) =>
      writer.reset()
      writer.write(0, key.getBytes)
      writer.write(1, value.getBytes)
      (place(key), writer.getRow.copy())
    }
  }

  /** The rows by partition. Spark's exchange of rows writes and reads them one at a time, however large they are. */
  def exchanged(rows: RDD[(Int, UnsafeRow)], partitions: Int): RDD[(Array[Byte], Array[Byte])] =
    // The hash of a number is itself.
    new ShuffledRDD[Int, UnsafeRow, UnsafeRow](rows, new HashPartitioner(partitions))
      .setSerializer(new UnsafeRowSerializer(2))
      .map { case (_, row) => (row.getBinary(0), row.getBinary(1)) }
}
