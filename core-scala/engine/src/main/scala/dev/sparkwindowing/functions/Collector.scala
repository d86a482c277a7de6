package dev.sparkwindowing.functions

/** Where a function puts out its results. */
trait Collector[-T] {
  def collect(record: T): Unit
}
