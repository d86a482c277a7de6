package dev.sparkwindowing.bench.streams

import org.apache.flink.api.common.eventtime.WatermarkStrategy
import org.apache.flink.api.common.functions.MapFunction
import org.apache.flink.api.common.typeinfo.{TypeInformation, Types}
import org.apache.flink.api.connector.sink2.{Sink, SinkWriter, WriterInitContext}
import org.apache.flink.api.java.functions.KeySelector
import org.apache.flink.api.java.tuple.{Tuple3, Tuple4}
import org.apache.flink.configuration.Configuration
import org.apache.flink.runtime.minicluster.{MiniCluster, MiniClusterConfiguration}
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows
import org.apache.flink.streaming.api.windowing.windows.TimeWindow
import org.apache.flink.util.Collector

import java.lang.{Iterable => JIterable, Long => JLong}
import java.nio.file.{Files, Path}
import java.security.MessageDigest
import java.time.Duration
import java.util.HexFormat
import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Using

/** The window of `benchmarks/big_state.py` in Flink: a day of rows of one key, all of them kept as list state in
  * RocksDB, with incremental checkpoints.
  */
object FlinkLists {
  private val Day = 24 * 60 * 60 * 1000L

  /** Key, time, value, note. */
  private type Event = Tuple4[String, JLong, JLong, String]

  /** Count, total, greatest note. */
  private type Totals = Tuple3[JLong, JLong, String]

  private val event: TypeInformation[Event]   = Types.TUPLE[Event](Types.STRING, Types.LONG, Types.LONG, Types.STRING)
  private val totals: TypeInformation[Totals] = Types.TUPLE[Totals](Types.LONG, Types.LONG, Types.STRING)

  private val results = mutable.Buffer.empty[Seq[Any]]
  private var files   = Map.empty[String, Long]
  private var end     = 0L

  /** Runs it with a checkpoint each so many milliseconds.
    *
    * @return
    *   `seconds` until the last row, `written` bytes of all checkpoints, number of `checkpoints`, and the `result`
    */
  def run(rows: Long, interval: Long): Map[String, Any] = {
    results.clear()
    val folder        = Files.createTempDirectory("checkpoints")
    val configuration = new Configuration
    Map(
      "parallelism.default"              -> "1",
      "pipeline.object-reuse"            -> "true",
      "pipeline.generic-types"           -> "false",
      "state.backend.type"               -> "rocksdb",
      "execution.checkpointing.interval" -> s"${interval}ms",
      "execution.checkpointing.dir"      -> folder.toUri.toString,
      // All are there when the job ends.
      "execution.checkpointing.incremental"  -> "true",
      "execution.checkpointing.num-retained" -> "100000",
      "restart-strategy.type"                -> "disable",
      "rest.port"                            -> "0",
      "rest.bind-port"                       -> "0"
    ).foreach { case (name, value) => configuration.setString(name, value) }
    val cluster = new MiniCluster(
      new MiniClusterConfiguration.Builder().setConfiguration(configuration).setNumSlotsPerTaskManager(1).build()
    )
    cluster.start()
    try {
      val env = new StreamExecutionEnvironment(configuration)
      env
        .fromSource(new EventSource(rows, 1), WatermarkStrategy.noWatermarks[JLong](), "numbers")
        .map(new Make(rows), event)
        .assignTimestampsAndWatermarks(
          WatermarkStrategy.forMonotonousTimestamps[Event]().withTimestampAssigner((e: Event, _: Long) => e.f1)
        )
        .keyBy(ByKey, Types.STRING)
        .window(TumblingEventTimeWindows.of(Duration.ofMillis(Day)))
        .process(AllOfThem, totals)
        .sinkTo(new Results(folder.toString))
      val graph = env.getStreamGraph.getJobGraph
      val start = System.nanoTime
      cluster.executeJobBlocking(graph)
      Map(
        "seconds"     -> (end - start) / 1e9,
        "written"     -> files.values.sum,
        "checkpoints" -> files.keys.count(_.endsWith("_metadata")),
        "result"      -> results.map(_.asJava).asJava
      )
    } finally cluster.close()
  }

  private def sizes(folder: Path): Map[String, Long] =
    Using
      .resource(Files.walk(folder))(_.iterator.asScala.filter(Files.isRegularFile(_)).toList)
      .map { file =>
        file.toString -> Files.size(file)
      }
      .toMap

  private final class Make(rows: Long) extends MapFunction[JLong, Event] {
    @transient private lazy val digest = MessageDigest.getInstance("MD5")

    def map(number: JLong): Event = {
      val note = HexFormat.of().formatHex(digest.digest(number.toString.getBytes("UTF-8")))
      Tuple4.of("k", number * (Day / rows), number, note)
    }
  }

  private object ByKey extends KeySelector[Event, String] {
    def getKey(e: Event): String = e.f0
  }

  private object AllOfThem extends ProcessWindowFunction[Event, Totals, String, TimeWindow] {
    def process(
        key: String,
        context: ProcessWindowFunction[Event, Totals, String, TimeWindow]#Context,
        rows: JIterable[Event],
        out: Collector[Totals]
    ): Unit = {
      val all = Tuple3.of[JLong, JLong, String](0L, 0L, "")
      rows.forEach { row =>
        all.f0 = all.f0 + 1L
        all.f1 = all.f1 + row.f2
        if (row.f3 > all.f2) all.f2 = row.f3
      }
      out.collect(all)
    }
  }

  private final class Results(folder: String) extends Sink[Totals] {
    def createWriter(context: WriterInitContext): SinkWriter[Totals] = new SinkWriter[Totals] {
      def write(row: Totals, context: SinkWriter.Context): Unit = {
        results += Seq(row.f0, row.f1, row.f2)
        ()
      }
      def flush(endOfInput: Boolean): Unit = if (endOfInput) {
        end = System.nanoTime
        files = sizes(Path.of(folder))
      }
      def close(): Unit = ()
    }
  }
}
