package dev.sparkwindowing.spark.realtime

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeReference,
  BoundReference,
  GenericInternalRow,
  Literal,
  Murmur3HashFunction,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.types.{DataType, IntegerType, LongType}

/** Rows between the source tasks and the operator in real-time mode: the operator's input columns, then four that are
  * null in a row of the input. In a row with a watermark all others are null.
  *
  *   - the salt, behind the keys in the hash of the exchange: Spark's hash skips nulls, so a key lies in the same
  *     partition as without it, and a row with a watermark has one for each partition
  *   - the watermark of a source task, or [[InBandColumns.silent]]
  *   - the number of the task, and the number of tasks
  *
  * @param types
  *   of the input columns
  */
private[spark] final class InBandColumns(types: Array[DataType]) extends Serializable {
  import InBandColumns._

  private[this] val salt = types.length

  /** Columns of a row of the input followed by those of no watermark, for one task. */
  def withoutWatermark(): UnsafeProjection = UnsafeProjection.create(
    references ++ Extra.map { case (_, dataType) => Literal(null, dataType) }
  )

  /** The input columns alone, with a number behind them if `isNumbered`, for one task. */
  def input(isNumbered: Boolean): UnsafeProjection =
    UnsafeProjection.create(if (isNumbered) references :+ Literal(0L) else references)

  private[this] def references =
    types.toSeq.zipWithIndex.map { case (t, i) => BoundReference(i, t, nullable = true) }

  /** Rows with a watermark of a source task, one for each partition: the rows of the next call are the same objects. */
  final class Watermarks(task: Int, tasks: Int, partitions: Int) {
    private[this] val rows: Array[UnsafeRow] = {
      val all = UnsafeProjection.create(types ++ Extra.map(_._2))
      saltsOf(partitions).map { value =>
        val row = new GenericInternalRow(types.length + Extra.size)
        row.update(salt, value)
        row.update(salt + 1, 0L)
        row.update(salt + 2, task)
        row.update(salt + 3, tasks)
        all(row).copy()
      }
    }

    def apply(watermark: Long): Array[UnsafeRow] = {
      rows.foreach(_.setLong(salt + 1, watermark))
      rows
    }
  }

  def isWatermark(row: InternalRow): Boolean = !row.isNullAt(salt)
  def watermark(row: InternalRow): Long      = row.getLong(salt + 1)
  def task(row: InternalRow): Int            = row.getInt(salt + 2)
  def tasks(row: InternalRow): Int           = row.getInt(salt + 3)
}

private[spark] object InBandColumns {

  // No watermark is so high.
  private val MostMillis = 1L << 40

  /** In place of the watermark of a source task, that it has had no row.
    *
    * @param millis
    *   for which it has waited since it has told something, or its last row
    * @param hadRow
    *   whether it has had one in this run on its executor
    */
  def silent(millis: Long, hadRow: Boolean): Long =
    Long.MaxValue - (math.min(millis, MostMillis) << 1 | (if (hadRow) 1L else 0L))

  def isSilent(told: Long): Boolean   = told >= Long.MaxValue - (MostMillis << 1 | 1L)
  def silenceOf(silent: Long): Long   = (Long.MaxValue - silent) >>> 1
  def hadRowOf(silent: Long): Boolean = ((Long.MaxValue - silent) & 1L) == 1L

  private val Extra: Seq[(String, DataType)] =
    Seq("salt" -> LongType, "watermark" -> LongType, "source_task" -> IntegerType, "source_tasks" -> IntegerType)

  /** Number of the columns behind those of the input. */
  val Count: Int = Extra.size

  /** New attributes of the four columns, of which the first is the salt. */
  def attributes(): Seq[Attribute] =
    Extra.map { case (name, dataType) => AttributeReference(name, dataType, nullable = true)() }

  // For each partition a number that Spark's hash partitioning puts there, behind keys that are null.
  private def saltsOf(partitions: Int): Array[Long] = {
    val found = Array.fill(partitions)(-1L)
    var left  = partitions
    var value = 0L
    while (left > 0) {
      val at = Math.floorMod(Murmur3HashFunction.hash(value, LongType, Seed).toInt, partitions)
      if (found(at) < 0) {
        found(at) = value
        left -= 1
      }
      value += 1
    }
    found
  }

  // That of Spark's hash partitioning.
  private val Seed = 42L
}
