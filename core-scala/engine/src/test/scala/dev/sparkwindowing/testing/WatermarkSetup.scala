package dev.sparkwindowing.testing

import dev.sparkwindowing.watermarks.{
  AheadOfClock,
  BoundedOutOfOrderness,
  Idleness,
  IngestionTime,
  NoWatermarks,
  Punctuated,
  WatermarkGenerator
}

import java.time.Duration

/** The watermark strategy of a scenario: what makes the watermarks of each input. */
final case class WatermarkSetup(
    make: () => WatermarkGenerator[ScenarioEvent.Row],
    isIngestionTime: Boolean,
    idleness: Option[Duration],
    maxAheadOfClock: Option[Duration]
) {

  /** A generator for one input. */
  def generator(clock: () => Long): WatermarkGenerator[ScenarioEvent.Row] = {
    val limited = maxAheadOfClock.fold(make())(AheadOfClock.of(make(), _, clock))
    idleness.fold(limited)(Idleness.of(limited, _, clock))
  }
}

object WatermarkSetup {
  private type Row = ScenarioEvent.Row

  /** `{forBoundedOutOfOrderness: [5 s], withIdleness: [1 min]}`: the factory, then what is added. */
  def of(y: YamlMap): WatermarkSetup = {
    y.allow((factories ++ Seq("withIdleness", "withMaxAheadOfClock")): _*)
    def time(name: String): Option[Duration] =
      y.get(name).map {
        case list: java.util.List[_] => Duration.ofMillis(Durations.millis(list.get(0)))
        case other                   => throw new IllegalStateException(s"$name takes a list, not $other")
      }
    val factory = factories.find(y.has).getOrElse(throw new IllegalStateException(s"no strategy: ${y.show}"))
    val make: () => WatermarkGenerator[Row] = factory match {
      case "forBoundedOutOfOrderness" => () => BoundedOutOfOrderness.of(time(factory).getOrElse(Duration.ZERO))
      case "forMonotonousTimestamps"  => () => BoundedOutOfOrderness.monotonous()
      case "forGenerator"             => () => new Punctuated[Row]((row, _) => row.proves)
      case "ingestionTime"            => () => IngestionTime.generator()
      case _                          => () => NoWatermarks
    }
    WatermarkSetup(make, factory == "ingestionTime", time("withIdleness"), time("withMaxAheadOfClock"))
  }

  private val factories =
    Seq("forBoundedOutOfOrderness", "forMonotonousTimestamps", "forGenerator", "ingestionTime", "noWatermarks")
}
