package dev.sparkwindowing

import dev.sparkwindowing.lateness.{Outcome, VariantReplay}
import dev.sparkwindowing.windows.Millis
import org.apache.spark.sql.{Column, DataFrame}

import java.time.Duration

/** Answers what would have come of a declaration with another delay of the watermark, another lateness or another
  * trigger.
  */
object WhatIf {

  /** Replays a declaration on rows in the order in which they came, with several delays of the watermark. For another
    * lateness or trigger replay the declaration with it.
    *
    * The operator gets the rows in micro-batches of their arrival. Windows fire in the micro-batch whose rows complete
    * them, at the time at which it ends; those that no row completes do not fire. No delay, and no query, is changed.
    *
    * {{{
    * val daily = clicks.keyBy("user").eventTime("ts").window(TumblingEventTimeWindows.of("1 day")).aggregate(n)
    * WhatIf.of(daily, col("ingested"), Duration.ofSeconds(10), Seq(Duration.ofMinutes(1), Duration.ofHours(1)))
    * }}}
    *
    * @param result
    *   of the declaration on a static DataFrame, exactly what a window's function returned
    * @param arrived
    *   when a row came, a TIMESTAMP column of the input, or a whole number for each micro-batch
    * @param every
    *   length of the micro-batches into which times of arrival are divided
    * @param delays
    *   of the watermark, 0 or more
    * @param perPartition
    *   column of the input with the partition of a row, such as "partition" of Kafka's source: the watermark is then
    *   that of the slowest partition. By default the greatest time of all rows decides
    * @return
    *   an outcome for each delay
    * @throws java.lang.IllegalArgumentException
    *   for a stream, a negative delay, an `arrived` of another type, and more than a million micro-batches
    * @throws java.lang.UnsupportedOperationException
    *   for several inputs or names, windows by processing time, a function of Python, and one without windows
    */
  def of(
      result: DataFrame,
      arrived: Column,
      every: Duration,
      delays: Seq[Duration],
      perPartition: Column = null
  ): Seq[Outcome] = {
    val replay = new VariantReplay(result, arrived, Millis.positive("every", every), Option(perPartition))
    delays.map { delay =>
      val millis = Millis.of("delay", delay)
      if (millis < 0) throw new IllegalArgumentException(s"delay must not be negative, got ${Millis.show(millis)}")
      replay.outcome(millis)
    }
  }
}
