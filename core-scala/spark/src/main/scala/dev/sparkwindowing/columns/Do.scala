package dev.sparkwindowing.columns

import org.apache.spark.sql.Column

/** Effects of a call of a [[ColumnProcess]]: new state, results, timers. Build it with [[Do.of]]. */
final class Do private (
    private[columns] val state: Option[Column],
    private[columns] val emit: Option[Column],
    private[columns] val eventTimer: Option[Column],
    private[columns] val processingTimer: Option[Column],
    private[columns] val side: Seq[(String, Column)]
)

object Do {

  /** An omitted argument (null) leaves things as they are; a column that is null does not.
    *
    * @param state
    *   the new state of the key, a struct; null clears it, so that the key begins anew
    * @param emit
    *   a struct, one result, or an array of structs; null for no result
    * @param eventTimer
    *   time of the key's event-time timer, which replaces the one before; null deletes it
    * @param processingTimer
    *   the same for its processing-time timer
    * @param side
    *   rows for side outputs by tag, each like `emit`
    * @throws java.lang.IllegalArgumentException
    *   if a tag is there twice
    */
  def of(
      state: Column = null,
      emit: Column = null,
      eventTimer: Column = null,
      processingTimer: Column = null,
      side: Seq[(String, Column)] = Nil
  ): Do = {
    val tags = side.map(_._1)
    tags.diff(tags.distinct).headOption.foreach { tag =>
      throw new IllegalArgumentException(
        s"""Do: side has the tag "$tag" twice: give its rows as one array, array(..)"""
      )
    }
    new Do(Option(state), Option(emit), Option(eventTimer), Option(processingTimer), side)
  }

  /** [[of]] for callers without Scala tuples: the tags of side outputs and a column for each. */
  private[sparkwindowing] def of(
      state: Column,
      emit: Column,
      eventTimer: Column,
      processingTimer: Column,
      tags: Seq[String],
      sides: Seq[Column]
  ): Do = of(state, emit, eventTimer, processingTimer, tags.zip(sides))
}
