package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.windows.{Durations, Millis}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.SQLConf

import scala.util.Try

/** Settings of windows in Spark's real-time mode, in which the tasks of a long micro-batch take rows as they come.
  *
  * @param interval
  *   milliseconds: a source task tells its watermark at most so often; 0 for behind each row that raises it
  * @param idleTimeout
  *   milliseconds without a row after which a source task does not count for the watermark; 0 for never
  * @param firstRowTimeout
  *   the same before the first row that it has on its executor, if that is longer
  * @param keyBytes
  *   most bytes of the keys that a task has in memory
  */
private[sparkwindowing] final case class RealTimeMode(
    interval: Long,
    idleTimeout: Long,
    firstRowTimeout: Long,
    keyBytes: Long
) {

  /** Milliseconds after which a source task without rows tells its watermark again. Timers of processing time fire by
    * what it tells.
    */
  def heartbeat(hasClock: Boolean): Long = math.max(interval, if (hasClock) 1L else RealTimeMode.Heartbeat)

  /** Milliseconds for which a source task waits for a row before it is idle, 0 for ever.
    *
    * @param hadRow
    *   whether it has had one on its executor
    */
  def silence(hadRow: Boolean): Long =
    if (hadRow || idleTimeout == 0) idleTimeout
    else if (firstRowTimeout == 0) 0L
    else math.max(idleTimeout, firstRowTimeout)

  /** True if a source task that has waited for so many milliseconds does not count for the watermark. */
  def isIdle(waited: Long, hadRow: Boolean): Boolean = {
    val timeout = silence(hadRow)
    timeout > 0 && waited > timeout
  }

  /** Text for `explain`.
    *
    * @param buffers
    *   milliseconds that rows wait in the exchange at most, None for Spark's default
    */
  def text(buffers: Option[String]): String = {
    val idle =
      if (idleTimeout == 0) "for the slowest source task, however long it is silent"
      else
        s"for the slowest source task, unless it has been silent for ${Millis.show(idleTimeout)}" +
          (if (silence(hadRow = false) == 0) " since its first row"
           else s" (${Millis.show(silence(hadRow = false))} before its first row)")
    val each = if (interval == 0) "behind each row that raises it" else s"each ${Millis.show(interval)}"
    s"allowed (experimental); a watermark $each, which waits $idle; rows wait in the exchange for " +
      s"up to ${buffers.getOrElse(RealTimeMode.DefaultWait)} ms (${RealTimeMode.BufferSetting})"
  }
}

private[sparkwindowing] object RealTimeMode {

  /** Settings of the session: whether the mode may be used, three durations, and a number of bytes. */
  val Setting         = "spark.windowing.realTime"
  val IntervalSetting = "spark.windowing.realTime.watermarkInterval"
  val IdleSetting     = "spark.windowing.realTime.idleTimeout"
  val FirstSetting    = "spark.windowing.realTime.firstRowTimeout"
  val BytesSetting    = "spark.windowing.realTime.keyBytes"

  /** 20 ms, 5 s, a minute and 256 MiB. */
  val Default: RealTimeMode = RealTimeMode(20L, 5000L, 60000L, 256L << 20)

  /** Setting of Spark, which holds from the start of the application. */
  val BufferSetting = "spark.shuffle.streaming.networkBufferMaxWaitTimeMs"

  private val DefaultWait = "50"
  private val Heartbeat   = 1000L

  /** True if the active session allows the mode. By default it does not.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the setting is neither true nor false
    */
  def isAllowed: Boolean = SQLConf.get.getConfString(Setting, null) != null && SessionSettings.flag(Setting)

  /** Settings of the active session.
    *
    * @throws java.lang.IllegalArgumentException
    *   if one is no duration or no number of bytes
    */
  def ofSession: RealTimeMode = RealTimeMode(
    millis(IntervalSetting, Default.interval, "20 ms"),
    millis(IdleSetting, Default.idleTimeout, "5 seconds"),
    millis(FirstSetting, Default.firstRowTimeout, "1 minute"),
    StateLimits.bytes(BytesSetting, Default.keyBytes, Long.MaxValue, example = "256m")
  )

  private def millis(name: String, default: Long, example: String): Long =
    Option(SQLConf.get.getConfString(name, null)).fold(default) { text =>
      Try(Durations.of(text).toMillis).toOption.filter(_ >= 0).getOrElse {
        throw new IllegalArgumentException(
          s"""$name must be a duration such as $example, got '$text': spark.conf.set("$name", "$example")"""
        )
      }
    }

  /** True for the plan of a query, or a part of it with its sources, that runs by the real-time trigger. */
  def isIn(plan: LogicalPlan): Boolean = plan.isStreaming && plan.collectLeaves().exists(hasDuration)

  // By name, since other versions of Spark do not have it: of a source, or of the source in its scan. Asked in each
  // micro-batch, so of the leaves of the plan alone.
  private def hasDuration(plan: LogicalPlan): Boolean =
    (plan +: member(plan, "relation").toSeq).exists(member(_, "realTimeModeDuration").exists {
      case duration: Option[_] => duration.nonEmpty
      case _                   => false
    })

  private def member(of: AnyRef, name: String): Option[AnyRef] =
    of.getClass.getMethods.find(m => m.getName == name && m.getParameterCount == 0).map(_.invoke(of))
}
