package dev.sparkwindowing.spark.aggregates

import dev.sparkwindowing.codec.{BlockReader, BlockWriter}
import org.apache.spark.sql.catalyst.expressions.{Alias, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.{Column, DataFrame, Row}
import org.apache.spark.unsafe.Platform

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}
import scala.util.Random

/** Runs aggregates as an operator does: rows of a key in several buffers, written and read between, then merged. */
object DealtRows {

  /** The result per value of the long column `key`, over rows in the order of `df`. */
  def aggregate(df: DataFrame, columns: Seq[Column], buffers: Int, seed: Long): Map[Long, Row] = {
    val here       = AggregateAnalysis(df, columns)
    val (rows, at) = project(df, here)
    val aggregates = roundTrip(here)
    val contents   = new AggregateContents(aggregates, at)
    val toRow      = CatalystTypeConverters.createToScalaConverter(aggregates.schema)
    val random     = new Random(seed)
    val input      = new ReusedRow
    rows.groupBy(_.getLong(0)).map { case (key, ofKey) =>
      val dealt = Array.fill(buffers)(contents.empty())
      ofKey.foreach { row =>
        val b = random.nextInt(buffers)
        dealt(b) = contents.add(dealt(b), input.of(row), 0L)
        if (random.nextInt(4) == 0) dealt(b) = throughBytes(contents, dealt(b))
      }
      val merged = dealt.reduceLeft(contents.merge)
      contents.result(merged) // looking at it does not change it
      key -> toRow(contents.result(throughBytes(contents, merged)).copy()).asInstanceOf[Row]
    }
  }

  /** The rows of an operator, and where in them the arguments are: behind the key, in reverse. */
  def project(df: DataFrame, aggregates: SqlAggregates): (Seq[UnsafeRow], Array[Int]) = {
    val plan   = df.queryExecution.analyzed
    val key    = plan.output.find(_.name == "key").get
    val fields = Alias(key, "k")() +: aggregates.arguments.reverse
    val toRow  = UnsafeProjection.create(fields, plan.output)
    val rows   = df.queryExecution.toRdd.map(_.copy()).collect().toSeq.map(toRow(_).copy())
    (rows, aggregates.arguments.indices.map(i => aggregates.arguments.size - i).toArray)
  }

  def throughBytes(contents: AggregateContents, buffer: InternalRow): InternalRow = {
    val out = new BlockWriter()
    out.byte(1)
    contents.write(buffer, out)
    val bytes = out.toBytes
    val read  = contents.read(new BlockReader().open(bytes, 1, bytes.length - 1))
    java.util.Arrays.fill(bytes, 0x55.toByte)
    read
  }

  def roundTrip[T](value: T): T = {
    val bytes = new ByteArrayOutputStream
    new ObjectOutputStream(bytes).writeObject(value)
    new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)) {
      override def resolveClass(d: java.io.ObjectStreamClass): Class[_] =
        Class.forName(d.getName, false, Thread.currentThread.getContextClassLoader)
    }.readObject().asInstanceOf[T]
  }

  /** One row that is overwritten by the next, as Spark's operators hand them out. */
  final class ReusedRow {
    private[this] val bytes = new Array[Byte](1 << 16)

    def of(row: UnsafeRow): UnsafeRow = {
      java.util.Arrays.fill(bytes, 0x77.toByte)
      row.writeToMemory(bytes, Platform.BYTE_ARRAY_OFFSET.toLong)
      val out = new UnsafeRow(row.numFields)
      out.pointTo(bytes, row.getSizeInBytes)
      out
    }
  }
}
