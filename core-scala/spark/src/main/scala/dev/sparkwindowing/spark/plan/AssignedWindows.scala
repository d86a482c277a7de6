package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.assigners.{CalendarWindows, NamedWindows, OverEventTimeWindows, WindowAssigner}
import dev.sparkwindowing.spark.advice.{Code, Face}
import dev.sparkwindowing.spark.rows.EventTimeType
import dev.sparkwindowing.triggers.ProcessingTimeTrigger
import org.apache.spark.sql.SparkWindowingBridge
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.DateTimeUtils

import java.time.ZoneId

/** Checks that windows fit their input. */
private[sparkwindowing] object AssignedWindows {

  /** The rules over an input: the assigner has a time zone if it needs one.
    *
    * @throws java.lang.IllegalArgumentException
    *   for an event-time window without event time, or on a stream without watermark; for a processing-time window on a
    *   static DataFrame, where processing time does not advance
    */
  def rules(input: KeyedInput, declared: WindowRules): WindowRules = {
    val assigner = inSession(declared.assigner, input)
    CalendarWindows.check(assigner)
    if (assigner.isEventTime) checkEventTime(input, assigner.toString)
    else if (!input.df.isStreaming && assigner.defaultTrigger.isInstanceOf[ProcessingTimeTrigger])
      throw new IllegalArgumentException(
        s"$assigner uses processing time, which does not advance on a static DataFrame: use the event-time windows of that name"
      )
    declared.copy(assigner = assigner)
  }

  /** @throws java.lang.IllegalArgumentException
    *   for other rows than those of two inputs
    * @throws java.lang.UnsupportedOperationException
    *   for over windows, in which each row would meet its partners many times
    */
  def checkJoin(input: KeyedInput, rules: WindowRules): Unit = (rules.assigner: Any) match {
    case _ if TaggedUnion.projections(SparkWindowingBridge.analyzedPlan(input.df)).size != 2 =>
      throw new IllegalArgumentException("a join takes two inputs")
    case over: OverEventTimeWindows =>
      throw new UnsupportedOperationException(
        s"$over cannot join: each row has a window of its own, so a pair would be in many. Aggregate the rows before " +
          s"each row, $CoGroup.window(..), or join rows that are some time apart with Spark's own " +
          "stream-stream join"
      )
    case _ =>
  }

  // Calendar windows without a time zone take that of the session; those of times without a zone count their days.
  private def inSession(assigner: WindowAssigner[InternalRow], input: KeyedInput): WindowAssigner[InternalRow] =
    (assigner: WindowAssigner[_]).tree.collectFirst { case c: CalendarWindows => c } match {
      case None           => assigner
      case Some(calendar) =>
        val wall = input.eventTime.filter(_.times == EventTimeType.WallClock)
        for (time <- wall; _ <- calendar.timeZone)
          throw new IllegalArgumentException(
            s"$calendar counts the days of a time zone, and the event time '${time.time.name}' is a TIMESTAMP_NTZ, which " +
              s"has none: take ${Code.name("time_zone")} away, or cast it, ${time.asInstant}"
          )
        def session = DateTimeUtils.getZoneId(input.df.sparkSession.conf.get(SessionTimeZone))
        def zoned   = wall.fold(session)(_ => ZoneId.of("UTC"))
        (assigner: WindowAssigner[_]) match {
          case c: CalendarWindows  => c.orTimeZone(zoned)
          case named: NamedWindows => named.map { case c: CalendarWindows => c.orTimeZone(zoned) }
          case _                   => assigner
        }
    }

  private val CoGroup = Code {
    case Face.Scala => """coGroup("clicks" -> .., "orders" -> ..)"""
    case _          => "co_group(clicks=.., orders=..)"
  }

  private val SessionTimeZone = "spark.sql.session.timeZone"

  /** @param user
    *   what needs the event time, for the error
    * @throws java.lang.IllegalArgumentException
    *   if there is none, or on a stream no watermark on it
    */
  def checkEventTime(input: KeyedInput, user: String): Unit = {
    val time = input.eventTime
    if (time.isEmpty || input.df.isStreaming && !time.exists(_.hasWatermark))
      TimelessResults.instead(SparkWindowingBridge.analyzedPlan(input.df)).foreach { instead =>
        throw new IllegalArgumentException(s"$user needs an event time: $instead")
      }
    time match {
      case None =>
        val names = input.df.columns.map(c => s"'$c'").mkString(", ")
        throw new IllegalArgumentException(
          if (input.df.isStreaming)
            s"$user needs a watermark, and no column of the stream has one (columns: $names): " +
              WatermarkAdvice.missing(input)
          else
            s"$user needs an event time: name the column, ${Code.keyByTime("ts")} (columns: $names)"
        )
      case Some(time) if input.df.isStreaming && !time.hasWatermark =>
        throw new IllegalArgumentException(
          s"$user needs a watermark on the stream's event time: ${WatermarkAdvice.missing(input)}"
        )
      case Some(_) => ()
    }
  }
}
