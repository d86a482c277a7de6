package dev.sparkwindowing.bench.streams

import org.apache.flink.configuration.Configuration
import org.apache.flink.runtime.minicluster.{MiniCluster, MiniClusterConfiguration}
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink

import java.nio.file.{Files, Path}

/** Flink in this process: parallelism 2, state in hash maps, a checkpoint each second into files. */
final class FlinkCluster(checkpoints: Path) extends AutoCloseable {
  private[this] val configuration = new Configuration
  configuration.setString("parallelism.default", "2")
  configuration.setString("pipeline.object-reuse", "true")
  configuration.setString("pipeline.generic-types", "false")
  configuration.setString("state.backend.type", "hashmap")
  configuration.setString("execution.checkpointing.interval", "1s")
  configuration.setString("execution.checkpointing.dir", Files.createDirectories(checkpoints).toUri.toString)
  configuration.setString("restart-strategy.type", "disable")
  configuration.setString("rest.port", "0")
  configuration.setString("rest.bind-port", "0")

  private[this] val cluster = new MiniCluster(
    new MiniClusterConfiguration.Builder()
      .setConfiguration(configuration)
      .setNumTaskManagers(1)
      .setNumSlotsPerTaskManager(2)
      .build()
  )
  cluster.start()

  /** Runs a work to its end and drops the results.
    *
    * @return
    *   seconds from the submission until the last row has come; the last checkpoint follows within a second
    */
  def time(work: FlinkWork, events: Events): Double = {
    val env = new StreamExecutionEnvironment(configuration)
    FlinkJobs.results(env, work, events, finalOnly = false).sinkTo(new LastRow)
    val graph = env.getStreamGraph.getJobGraph
    val start = System.nanoTime
    cluster.executeJobBlocking(graph)
    (LastRow.nanoTime - start) / 1e9
  }

  /** The latencies of [[FlinkLatency]].
    *
    * @param waits
    *   milliseconds between watermarks, and after which a buffer leaves at the latest; None for Flink's defaults
    */
  def latencies(rate: Int, seconds: Int, waits: Option[Long]): Seq[Double] = {
    val env = new StreamExecutionEnvironment(configuration)
    waits.foreach { millis =>
      env.getConfig.setAutoWatermarkInterval(millis)
      env.setBufferTimeout(millis)
    }
    FlinkLatency.measure(env, () => cluster.executeJobBlocking(env.getStreamGraph.getJobGraph): Unit, rate, seconds)
  }

  /** Runs a work to its end; the figures of [[Digest]]. */
  def digest(work: FlinkWork, events: Events, digest: Digest): Map[String, Any] = {
    val env = new StreamExecutionEnvironment(configuration)
    FlinkJobs.results(env, work, events, finalOnly = true).map(digest).sinkTo(new DiscardingSink[FlinkJobs.Out])
    val result = cluster.executeJobBlocking(env.getStreamGraph.getJobGraph)
    Seq("rows", "a", "b", "hash").map(name => name -> result.getAccumulatorResult[Any](name)).toMap
  }

  def close(): Unit = cluster.close()
}
