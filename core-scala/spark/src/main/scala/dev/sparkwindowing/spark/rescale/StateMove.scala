package dev.sparkwindowing.spark.rescale

import org.apache.spark.HashPartitioner
import org.apache.spark.rdd.{RDD, ShuffledRDD}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import org.apache.spark.sql.execution.UnsafeRowSerializer

/** Moves the state of one operator from a number of partitions to another, in jobs of the session. */
private[rescale] final class StateMove(spark: SparkSession, before: Int, after: Int) {
  private[this] val context = spark.sparkContext

  /** Writes all rows of one store to another, and reads both to compare them.
    *
    * @return
    *   the other store with the ids of what was written, and the sums of its rows
    * @throws java.lang.IllegalStateException
    *   if the rows are not the same
    * @throws org.apache.spark.SparkException
    *   if a store cannot be read or written, or a key is in another partition than that of its hash
    */
  def apply(from: OperatorStore, to: OperatorStore): (OperatorStore, RowSums) = {
    val expected = job(s"operator ${from.operator}: reads $before partitions")(sums(from, before))
    val written  = to.copy(ids = job(s"operator ${from.operator}: writes $after partitions")(ids(from, to)))
    val found    = job(s"operator ${from.operator}: compares $after partitions")(sums(written, after))
    if (found != expected)
      throw new IllegalStateException(
        s"operator ${from.operator} has $expected in ${from.state}, and $found was written to ${to.state}"
      )
    (written, found)
  }

  // Shown by Spark's progress bar and its UI.
  private def job[A](what: String)(work: => A): A = {
    val outer = context.getLocalProperty(Description)
    context.setJobDescription(s"rescale, $what")
    try work
    finally context.setJobDescription(outer)
  }

  private val Description = "spark.job.description"

  // Tasks answer with no class of this library: of a jar that was added later, theirs are other ones.
  private def sums(store: OperatorStore, partitions: Int): RowSums = numbers(partitions)
    .map { partition =>
      val of = RowSums.of(StateMove.placed(store, partition, partitions))
      (of.rows, of.bytes, of.checksum)
    }
    .collect()
    .map { case (rows, bytes, checksum) => RowSums(rows, bytes, checksum) }
    .foldLeft(RowSums.Zero)(_ + _)

  private def ids(from: OperatorStore, to: OperatorStore): Seq[String] = {
    val (old, moved) = (before, after)
    val rows         = numbers(old).flatMap(partition => StateMove.sent(from, partition, moved))
    StateMove
      .exchanged(rows, moved)
      .mapPartitionsWithIndex((partition, rows) => Iterator(to.write(partition, rows)))
      .collect()
      .toSeq
      .flatten
  }

  private def numbers(partitions: Int) = context.parallelize(0 until partitions, partitions)
}

private object StateMove {

  /** The rows of a partition, of which each must belong to it. */
  def placed(store: OperatorStore, partition: Int, partitions: Int): Iterator[(UnsafeRow, UnsafeRow)] = {
    val place = new KeyPartition(store.keys, partitions)
    store.read(partition).map { case row @ (key, _) =>
      if (place(key) != partition)
        throw new IllegalStateException(
          s"a key of operator ${store.operator} is in partition $partition of ${store.state}, and its hash is that of " +
            s"partition ${place(key)}: this state cannot be moved"
        )
      row
    }
  }

  /** The rows of a partition as bytes, each with the partition to which it goes. */
  def sent(store: OperatorStore, partition: Int, to: Int): Iterator[(Int, UnsafeRow)] = {
    val place  = new KeyPartition(store.keys, to)
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
