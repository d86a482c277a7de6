package dev.sparkwindowing.bench.streams

import org.apache.flink.api.connector.sink2.{Sink, SinkWriter, WriterInitContext}

import java.util.concurrent.atomic.AtomicLong

/** Drops the rows and remembers when the last of them had come, on the clock of `System.nanoTime`. */
final class LastRow extends Sink[FlinkJobs.Out] {
  def createWriter(context: WriterInitContext): SinkWriter[FlinkJobs.Out] = new SinkWriter[FlinkJobs.Out] {
    def write(row: FlinkJobs.Out, context: SinkWriter.Context): Unit = ()
    def flush(endOfInput: Boolean): Unit = if (endOfInput) LastRow.at.accumulateAndGet(System.nanoTime, math.max(_, _))
    def close(): Unit                    = ()
  }
}

object LastRow {

  /** When the last job in this process had put out its last row. */
  private val at = new AtomicLong(Long.MinValue)

  def nanoTime: Long = at.get
}
