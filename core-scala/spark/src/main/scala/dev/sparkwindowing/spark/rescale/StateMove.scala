package dev.sparkwindowing.spark.rescale

import org.apache.spark.HashPartitioner
import org.apache.spark.sql.SparkSession

/** Moves the state of one operator from a number of partitions to another, in jobs of the session. */
private[rescale] final class StateMove(spark: SparkSession, before: Int, after: Int) {
  private[this] val context = spark.sparkContext

  /** Writes all rows of one store to another, and reads both to compare them.
    *
    * @return
    *   the other store with the ids of what was written, and the sums of its rows
    * @throws java.lang.IllegalStateException
    *   if a key is in another partition than that of its hash, or the rows are not the same
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
      val of = RowSums.of(store.read(partition))
      (of.rows, of.bytes, of.checksum)
    }
    .collect()
    .map { case (rows, bytes, checksum) => RowSums(rows, bytes, checksum) }
    .foldLeft(RowSums.Zero)(_ + _)

  private def ids(from: OperatorStore, to: OperatorStore): Seq[String] = {
    val (old, moved) = (before, after)
    numbers(old)
      .flatMap(partition => StateMove.rows(from, partition, old, moved))
      // The hash of a number is itself.
      .partitionBy(new HashPartitioner(moved))
      .mapPartitionsWithIndex((partition, rows) => Iterator(to.write(partition, rows.map(_._2))))
      .collect()
      .toSeq
      .flatten
  }

  private def numbers(partitions: Int) = context.parallelize(0 until partitions, partitions)
}

private object StateMove {

  /** The rows of a partition, each with the partition to which it goes. */
  def rows(
      from: OperatorStore,
      partition: Int,
      before: Int,
      after: Int
  ): Iterator[(Int, (Array[Byte], Array[Byte]))] = {
    val (here, there) = (new KeyPartition(from.keys, before), new KeyPartition(from.keys, after))
    from.read(partition).map { case (key, value) =>
      if (here(key) != partition)
        throw new IllegalStateException(
          s"a key of operator ${from.operator} is in partition $partition of ${from.state}, and its hash is that of " +
            s"partition ${here(key)}: this state cannot be moved"
        )
      (there(key), (key.getBytes, value.getBytes))
    }
  }
}
