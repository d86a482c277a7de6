package dev.sparkwindowing.bench.streams

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import java.nio.file.{Files, Path}
import scala.io.Source
import scala.jdk.CollectionConverters._

/** Answers the benchmarks' commands, a line of JSON each, until its input ends.
  *
  *   - `{"do": "files", "events": {..}, "rows": 500000, "folder": ".."}` writes Parquet files; answers `last_time`
  *   - `{"do": "time", "events": {..}, "work": {..}}` runs a work in Flink; answers `seconds`
  *   - `{"do": "digest", "events": {..}, "work": {..}, "cutoff": 123, "ordered": false}` answers the figures of
  *     [[Digest]]
  *   - `{"do": "lists", "rows": 1000000, "interval": 250}` answers the figures of [[FlinkLists]]
  *   - `{"do": "latency", "rate": 1000, "seconds": 60, "waits": 5}` answers `millis`, those of [[FlinkLatency]]; with
  *     `waits` null for Flink's defaults
  *
  * Fields of `events` are those of [[Events]], fields of `work` those of [[FlinkWork]]. A command that fails ends the
  * process with the reason on the error output.
  */
object Server {
  private val mapper = new ObjectMapper

  def main(args: Array[String]): Unit = {
    val answers = System.out
    System.setOut(System.err) // logs write there
    lazy val cluster = new FlinkCluster(Files.createTempDirectory("checkpoints"))
    Source.stdin.getLines().foreach { line =>
      answers.println(mapper.writeValueAsString(answer(mapper.readTree(line), () => cluster).asJava))
      answers.flush()
    }
    System.exit(0)
  }

  private def answer(command: JsonNode, cluster: () => FlinkCluster): Map[String, Any] = {
    lazy val events = eventsOf(command.get("events"))
    System.gc()
    command.get("do").asText match {
      case "files" =>
        EventFiles.write(events, command.get("rows").asLong, Path.of(command.get("folder").asText))
        Map("last_time" -> events.lastTime)
      case "time"   => Map("seconds" -> cluster().time(workOf(command.get("work")), events))
      case "digest" =>
        val digest = new Digest(command.get("cutoff").asLong, command.get("ordered").asBoolean)
        cluster().digest(workOf(command.get("work")), events, digest)
      case "latency" =>
        val waits = Option(command.get("waits")).filterNot(_.isNull).map(_.asLong)
        Map("millis" -> cluster().latencies(command.get("rate").asInt, command.get("seconds").asInt, waits).asJava)
      case "lists" => FlinkLists.run(command.get("rows").asLong, command.get("interval").asLong)
      case other   =>
        throw new IllegalArgumentException(s"do: files, time, digest, latency or lists, got $other")
    }
  }

  private def eventsOf(e: JsonNode): Events = Events(
    e.get("count").asLong,
    e.get("keys").asInt,
    e.get("skew").asDouble,
    e.get("burst").asInt,
    e.get("step").asLong,
    e.get("disorder").asLong,
    e.get("seed").asLong
  )

  private def workOf(w: JsonNode): FlinkWork = FlinkWork(
    w.get("windows").asText,
    w.get("size").asLong,
    w.get("sizes").elements.asScala.map(_.asLong).toSeq,
    w.get("slide").asLong,
    w.get("early").asLong,
    w.get("early_millis").asLong,
    w.get("functions").asText,
    w.get("delay").asLong
  )
}
