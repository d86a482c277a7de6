package dev.sparkwindowing.spark.metrics

import com.codahale.metrics.{Gauge, MetricRegistry}

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong
import scala.jdk.CollectionConverters._

/** A number as a reader gets it. */
private trait Figure extends Gauge[Long]

/** Counters and gauges by name, which are there from their first value on. */
private[metrics] final class Figures {
  val registry: MetricRegistry = new MetricRegistry

  private[this] val last = new ConcurrentHashMap[String, AtomicLong]

  /** The values as a reader gets them. */
  def values: Map[String, Long] =
    registry.getCounters.asScala.map { case (name, counter) => name -> counter.getCount }.toMap ++
      registry.getGauges.asScala.collect { case (name, gauge: Figure) => name -> gauge.getValue }

  def count(name: String, more: Long): Unit = registry.counter(name).inc(more)

  def set(name: String, value: Long): Unit = setSeen(name, value)(identity)

  /** @param seen
    *   what a reader gets of the last value, at the time when it reads
    */
  def setSeen(name: String, value: Long)(seen: Long => Long): Unit = {
    val of = last.computeIfAbsent(
      name,
      _ => {
        val number = new AtomicLong(value)
        registry.register(name, new Figure { override def getValue: Long = seen(number.get) })
        number
      }
    )
    of.set(value)
  }

  /** Removes the gauges of a group whose names are not among those given. */
  def retain(group: String, names: Set[String]): Unit = last.keySet.forEach { name =>
    if (name.startsWith(group) && !names(name)) {
      last.remove(name)
      val _ = registry.remove(name)
    }
  }
}
