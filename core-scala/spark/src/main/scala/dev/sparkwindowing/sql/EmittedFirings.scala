package dev.sparkwindowing.sql

import dev.sparkwindowing.triggers.{AfterWatermark, CountTrigger, FiringInterval, Trigger}
import dev.sparkwindowing.windows.Durations

import scala.util.Try

/** Early and late firings that a call asks for, as texts. */
private[sql] object EmittedFirings {
  import TableFunction.{AllowedLateness, Emit, EmitLate}

  private val MicroBatch = """(?i)\s*micro-batch\s*""".r
  private val Every      = """(?i)\s*every\s+(.+?)\s*""".r
  private val Rows       = """(?i)(?:([0-9]{1,18})\s+)?rows?""".r

  /** The trigger, None if the call asks for no such firings.
    *
    * @throws java.lang.IllegalArgumentException
    *   if a text is none of those that there are, or late firings have no lateness
    */
  def trigger(arguments: Arguments): Option[Trigger[Any]] = {
    val early = arguments.optionalText(Emit).map(interval(arguments, Emit, _))
    val late  = arguments.optionalText(EmitLate).map(interval(arguments, EmitLate, _))
    if (late.nonEmpty && arguments.ifGiven(AllowedLateness).isEmpty)
      arguments.refuse(s"$EmitLate is for rows that come within $AllowedLateness, which is not given")
    if (early.isEmpty && late.isEmpty) None else Some(AfterWatermark.of(early.orNull, late.orNull))
  }

  private def interval(arguments: Arguments, parameter: String, text: String): FiringInterval[Any] = {
    def unknown = arguments.refuse(
      s"$parameter must be 'micro-batch', 'every 10 seconds' or 'every 100 rows', got '$text'"
    )
    text match {
      case MicroBatch()   => FiringInterval.MicroBatch
      case Every(Rows(n)) => FiringInterval.by(CountTrigger.of(Option(n).fold(1L)(_.toLong)))
      case Every(time)    => FiringInterval.every(Try(Durations.of(time)).getOrElse(unknown))
      case _              => unknown
    }
  }
}
