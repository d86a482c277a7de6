package dev.sparkwindowing.testing

import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters._
import scala.util.Using

/** Reads the scenarios; the format is described in tests/scenarios/README.md. */
object ScenarioFile {

  /** Files of the folder that hold other cases than time lines. */
  private val others = Set("arguments.yaml")

  /** All scenario files, by name. */
  def files: Seq[Path] = Using.resource(Files.list(Yaml.folder)) { paths =>
    val yaml = paths.iterator.asScala.filter(_.getFileName.toString.endsWith(".yaml")).toSeq
    yaml.filterNot(p => others(p.getFileName.toString)).sortBy(_.getFileName.toString)
  }

  def read(file: Path): Seq[Scenario] = Yaml.entries(file).map(scenario)

  private def scenario(y: YamlMap): Scenario = {
    y.allow(
      "name",
      "rule",
      "window",
      "trigger",
      "evictor",
      "allowed_lateness",
      "error",
      "must_fail",
      "same_in_batches",
      "engine_only",
      "with_pane",
      "collapse_firings",
      "fill_empty",
      "watermarks",
      "steps"
    )
    Scenario(
      name = y("name").toString,
      rule = y("rule").toString,
      window = () => Parts.window(y("window")),
      trigger = y.get("trigger").map(t => () => Parts.trigger(t)),
      evictor = y.get("evictor").map(e => () => Parts.evictor(e)),
      allowedLateness = y.get("allowed_lateness").fold(0L)(Durations.millis),
      error = y.text("error"),
      mustFail = y.text("must_fail"),
      sameInBatches = y.flag("same_in_batches", default = true),
      engineOnly = y.flag("engine_only", default = false),
      withPane = y.flag("with_pane", default = false),
      collapseFirings = y.flag("collapse_firings", default = false),
      fillEmpty = y.get("fill_empty").map(Durations.millis),
      watermarks = y.get("watermarks").map(w => WatermarkSetup.of(YamlMap.of(w, y("name").toString))),
      steps = if (y.has("steps")) y.maps("steps").map(step).toIndexedSeq else IndexedSeq.empty
    )
  }

  private def step(y: YamlMap): ScenarioStep = {
    y.allow(eventKeys ++ Seq("fires", "late", "cleared", "timers", "reaches", "error"): _*)
    ScenarioStep(
      text = y.show,
      event = event(y),
      fires = y.texts("fires").getOrElse(Nil),
      late = y.texts("late").getOrElse(Nil),
      cleared = y.texts("cleared"),
      timers = y.get("timers").map(t => timers(YamlMap.of(t, y.show).allow("event", "processing"))),
      reaches = y.get("reaches").map(time),
      error = y.text("error")
    )
  }

  private val eventKeys =
    Seq("row", "at", "input", "proves", "watermark", "processing_time", "restore", "probe", "idle", "batch")

  private def time(value: Any): Long = if (value == "none") Long.MinValue else Durations.millis(value)

  private def event(y: YamlMap): ScenarioEvent =
    if (y.has("row")) {
      val input = y.get("input").fold(0)(Durations.millis(_).toInt)
      y("row").toString.split(" ") match {
        case Array(key, value) => ScenarioEvent.Row(key, value, time(y("at")), input, y.get("proves").map(time))
        case _                 => throw new IllegalStateException(s"a row is `key value`, not ${y("row")}")
      }
    } else if (y.has("watermark")) ScenarioEvent.Watermark(Durations.millis(y("watermark")))
    else if (y.has("processing_time")) ScenarioEvent.Clock(Durations.millis(y("processing_time")))
    else if (y.has("probe")) ScenarioEvent.Probe(Durations.millis(y("probe")))
    else if (y.has("idle")) ScenarioEvent.Idle(Durations.millis(y("idle")).toInt)
    else if (y.has("batch")) ScenarioEvent.Batch(y.maps("batch").map(e => event(e.allow(eventKeys: _*))))
    else {
      y("restore")
      ScenarioEvent.Restore
    }

  private def timers(y: YamlMap): TimerCounts =
    TimerCounts(Durations.millis(y("event")).toInt, Durations.millis(y("processing")).toInt)
}
