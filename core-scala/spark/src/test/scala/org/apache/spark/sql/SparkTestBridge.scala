package org.apache.spark.sql

import com.codahale.metrics.MetricRegistry
import dev.sparkwindowing.spark.relocated.Relocated.StreamExecution
import dev.sparkwindowing.spark.relocated.RelocatedInTests.StreamingQueryWrapper
import org.apache.hadoop.conf.Configuration
import org.apache.spark.internal.config.ConfigEntry
import org.apache.spark.sql.execution.streaming.sources.ForeachBatchSink
import org.apache.spark.sql.execution.streaming.state.StateStoreConf
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, Trigger}
import org.apache.spark.util.ManualClock

import scala.jdk.CollectionConverters._

/** Manual clock, in milliseconds: the processing time of a query, advanced by the test. */
final class HandClock(start: Long) {
  private[sql] val clock = new ManualClock(start)

  def now: Long                   = clock.getTimeMillis()
  def advance(millis: Long): Unit = clock.advance(millis)
}

/** Access to Spark members that tests of streams need and that are private to its packages. */
object SparkTestBridge {

  /** Starts a query whose processing time the test advances. */
  def start(
      df: DataFrame,
      checkpoint: String,
      clock: HandClock,
      mode: OutputMode,
      trigger: Trigger,
      onBatch: (DataFrame, Long) => Unit
  ): StreamingQuery = {
    val frame = df.asInstanceOf[ClassicApi.Dataset[Row]]
    val sink  = new ForeachBatchSink[Row]((batch, id) => onBatch(batch, id), frame.exprEnc)
    frame.sparkSession
      .asInstanceOf[ClassicApi.Session]
      .sessionState
      .streamingQueryManager
      .startQuery(
        userSpecifiedName = None,
        userSpecifiedCheckpointLocation = Some(checkpoint),
        df = frame,
        extraOptions = Map.empty,
        sink = sink,
        outputMode = mode,
        useTempCheckpointLocation = false,
        recoverFromCheckpointLocation = true,
        trigger = trigger,
        triggerClock = clock.clock
      )
  }

  def execution(query: StreamingQuery): StreamExecution = query.asInstanceOf[StreamingQueryWrapper].streamingQuery

  def stateConf(spark: SparkSession): StateStoreConf =
    new StateStoreConf(spark.asInstanceOf[ClassicApi.Session].sessionState.conf)

  def hadoopConf(spark: SparkSession): Configuration =
    spark.asInstanceOf[ClassicApi.Session].sessionState.newHadoopConf()

  def lastPlan(query: StreamingQuery): SparkPlan = execution(query).lastExecution.executedPlan

  /** A session that shares nothing but data with another: made as if before it was told of windows, or with extensions
    * from its start.
    */
  def sessionBeside(spark: SparkSession, extend: SparkSessionExtensions => Unit = _ => ()): SparkSession = {
    val extensions = new SparkSessionExtensions
    extend(extensions)
    val shared = spark.asInstanceOf[ClassicApi.Session].sharedState
    val make   = classOf[ClassicApi.Session].getConstructors.maxBy(_.getParameterCount)
    // Spark 3.5 has no tags of operations
    val values = Seq[AnyRef](spark.sparkContext, Some(shared), None, extensions, Map.empty, Map.empty)
    make
      .newInstance(values.take(make.getParameterCount): _*)
      .asInstanceOf[ClassicApi.Session]
  }

  /** Number of occurrences of a strategy in a session. */
  def countStrategy(spark: SparkSession, strategy: SparkStrategy): Int =
    spark.asInstanceOf[ClassicApi.Session].sessionState.planner.strategies.count(_ == strategy)

  /** Adds a temporary table function without arguments to a session. */
  def addTableFunction(spark: SparkSession, name: String, rows: DataFrame): Unit = spark
    .asInstanceOf[ClassicApi.Session]
    .sessionState
    .tableFunctionRegistry
    .createOrReplaceTempFunction(name, _ => SparkWindowingBridge.analyzedPlan(rows), "scala_udf")

  /** The numbers in Spark's metrics system whose names have a text, without what stands before it. */
  def figures(spark: SparkSession, text: String): Map[String, Long] = {
    spark.sparkContext.listenerBus.waitUntilEmpty(60000)
    val system = spark.sparkContext.env.metricsSystem
    val field  = system.getClass.getDeclaredField("registry")
    field.setAccessible(true)
    val registry = field.get(system).asInstanceOf[MetricRegistry]
    val gauges   = registry.getGauges.asScala.map { case (name, gauge) => name -> gauge.getValue }
    val counters = registry.getCounters.asScala.map { case (name, counter) => name -> counter.getCount }
    (gauges ++ counters).collect {
      case (name, number: Long) if name.contains(text) => name.substring(name.indexOf(text) + text.length) -> number
    }.toMap
  }

  /** The names of all settings that Spark SQL knows. By name: Spark 4.0 lets only its own package see them. */
  def settings: Seq[String] = SQLConf.getClass
    .getMethod("getConfigEntries")
    .invoke(SQLConf)
    .asInstanceOf[java.util.Collection[ConfigEntry[_]]]
    .asScala
    .map(_.key)
    .toSeq
}
