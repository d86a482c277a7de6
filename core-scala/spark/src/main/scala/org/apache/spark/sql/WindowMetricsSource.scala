package org.apache.spark.sql

import com.codahale.metrics.MetricRegistry
import org.apache.spark.SparkContext
import org.apache.spark.metrics.source.Source

/** Figures in Spark's metrics system, whose interface is private to Spark's packages. */
final class WindowMetricsSource(context: SparkContext, val sourceName: String, val metricRegistry: MetricRegistry)
    extends Source {
  def register(): Unit = context.env.metricsSystem.registerSource(this)
  def remove(): Unit   = context.env.metricsSystem.removeSource(this)
}
