package dev.sparkwindowing.functions

/** Receiver of a function's results. */
trait Collector[-T] {
  def collect(record: T): Unit
}
