package dev.sparkwindowing.spark.task

import dev.sparkwindowing.codec.BlockTooLargeException
import dev.sparkwindowing.spark.computations.WindowInErrors
import dev.sparkwindowing.spark.plan.StateLimits
import dev.sparkwindowing.state.StateShare
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.slf4j.LoggerFactory

import java.util

/** Watches the sizes of key states, for one operator. */
private[sparkwindowing] final class StateSizes(limits: StateLimits, operator: TaskPool.Operator) {
  private[this] val quiet = math.min(limits.warn, limits.max)

  /** True if a state of this many bytes, with its pieces, must be checked. Called for every key that is written. */
  def isLarge(bytes: Long): Boolean = bytes > quiet

  /** Checks a large state before it is stored. The key may be a reused buffer, the log has its text and the part with
    * the most bytes.
    *
    * @throws dev.sparkwindowing.codec.BlockTooLargeException
    *   if it has more bytes than a key may have
    */
  def check(bytes: Long, key: UnsafeRow, text: => String, largest: => StateShare): Unit = {
    if (bytes > limits.max) throw new BlockTooLargeException(bytes, limits.max, isOfBlock = false)
    if (StateSizes.isFirst(operator, key))
      StateSizes.log.warn(StateSizes.warning(text, bytes, limits.warn, largest))
  }
}

private[sparkwindowing] object StateSizes {
  private val log = LoggerFactory.getLogger("dev.sparkwindowing.state")

  /** Number of keys that are remembered, so that each is logged once. */
  private val Keys = 1000

  private[this] val told = new util.LinkedHashSet[(TaskPool.Operator, UnsafeRow)]

  private def isFirst(operator: TaskPool.Operator, key: UnsafeRow): Boolean = told.synchronized {
    val first = told.add((operator, key.copy()))
    if (told.size > Keys) told.remove(told.iterator().next())
    first
  }

  private def warning(key: String, bytes: Long, limit: Long, largest: StateShare): String =
    s"the state of the key $key has $bytes bytes, more than $limit (${StateLimits.WarnSetting}); ${share(largest)}. A " +
      "firing reads all rows that its window keeps, and all that is not in pieces is read and written in each micro-batch " +
      s"that has a row of the key. $Remedy. Said once for a key"

  /** The error that stops a query. */
  def error(key: String, e: BlockTooLargeException, largest: StateShare): IllegalStateException =
    new IllegalStateException(
      s"the state of the key $key has ${e.bytes} bytes, more than ${e.limit} (${limit(e)}); " +
        s"${share(largest)}. $Remedy. The micro-batch was not committed: what was kept before it is there"
    )

  private def limit(e: BlockTooLargeException): String =
    if (e.isOfBlock) "the most that a block can have" else StateLimits.MaxSetting

  private val Remedy =
    "Aggregate instead of keeping rows, use PurgingTrigger or an evictor, shorter windows, or keys that part the rows " +
      "further"

  private def share(largest: StateShare): String = largest.window match {
    case Some(window)              => s"the window ${WindowInErrors.text(window)} has the most, ${largest.bytes}"
    case None if largest.bytes > 0 => s"what functions remember of the key has the most, ${largest.bytes}"
    case None                      => "no window has contents"
  }
}
