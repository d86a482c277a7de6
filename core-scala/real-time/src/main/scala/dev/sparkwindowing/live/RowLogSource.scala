package dev.sparkwindowing.live

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeRead.RecordStatus
import org.apache.spark.sql.connector.read.streaming.{
  MicroBatchStream,
  Offset,
  PartitionOffset,
  SupportsRealTimeMode,
  SupportsRealTimeRead
}
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory, Scan, ScanBuilder}
import org.apache.spark.sql.types.{LongType, StructField, StructType, TimestampType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.util

/** A [[RowLog]] as a stream, in micro-batches or in real-time mode: columns `key`, `ts` and `value`.
  *
  * {{{
  * spark.readStream.format(classOf[RowLogSource].getName).option("name", log.name).load()
  * }}}
  */
final class RowLogSource extends TableProvider {
  def inferSchema(options: CaseInsensitiveStringMap): StructType = RowLogSource.Schema

  def getTable(schema: StructType, by: Array[Transform], properties: util.Map[String, String]): Table =
    new RowLogSource.Rows
}

private object RowLogSource {
  val Schema: StructType = StructType(
    Seq(
      StructField("key", LongType, nullable = false),
      StructField("ts", TimestampType, nullable = false),
      StructField("value", LongType, nullable = false)
    )
  )

  final class Rows extends Table with SupportsRead {
    def name                                        = "rows in memory"
    override def schema: StructType                 = Schema
    def capabilities: util.EnumSet[TableCapability] = util.EnumSet.of(TableCapability.MICRO_BATCH_READ)
    def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = () =>
      new Scan {
        def readSchema: StructType                                            = Schema
        override def toMicroBatchStream(checkpoint: String): MicroBatchStream = new Stream(options.get("name"))
      }
  }

  /** Rows of each partition that were read. */
  final case class Read(rows: Seq[Int]) extends Offset {
    override def json: String = rows.mkString("[", ",", "]")
  }

  final case class ReadOf(partition: Int, rows: Int) extends PartitionOffset

  /** @param until
    *   rows of the partition before the end of a micro-batch; None in real-time mode
    */
  final case class Slice(log: String, partition: Int, from: Int, until: Option[Int]) extends InputPartition

  final class Stream(log: String) extends MicroBatchStream with SupportsRealTimeMode {
    def initialOffset(): Offset                 = Read(Seq.fill(RowLog.named(log).partitions)(0))
    def latestOffset(): Offset                  = Read(RowLog.named(log).sizes)
    def deserializeOffset(json: String): Offset = Read(json.drop(1).dropRight(1).split(',').map(_.toInt).toSeq)
    def commit(end: Offset): Unit               = ()
    def stop(): Unit                            = ()

    def planInputPartitions(start: Offset, end: Offset): Array[InputPartition] =
      slices(start, end.asInstanceOf[Read].rows.map(Some(_)))

    def planInputPartitions(start: Offset): Array[InputPartition] =
      slices(start, start.asInstanceOf[Read].rows.map(_ => None))

    private def slices(start: Offset, until: Seq[Option[Int]]): Array[InputPartition] =
      start
        .asInstanceOf[Read]
        .rows
        .zip(until)
        .zipWithIndex
        .map { case ((from, until), partition) =>
          Slice(log, partition, from, until)
        }
        .toArray

    def mergeOffsets(offsets: Array[PartitionOffset]): Offset =
      Read(offsets.toSeq.map(_.asInstanceOf[ReadOf]).sortBy(_.partition).map(_.rows))

    def createReaderFactory(): PartitionReaderFactory = new Readers
  }

  final class Readers extends PartitionReaderFactory {
    def createReader(partition: InputPartition): PartitionReader[InternalRow] =
      new Reader(partition.asInstanceOf[Slice])
  }

  final class Reader(slice: Slice) extends SupportsRealTimeRead[InternalRow] {
    private[this] val part   = RowLog.named(slice.log).part(slice.partition)
    private[this] val fields = new Array[Long](RowLog.Fields)
    private[this] val row    = new UnsafeRowWriter(RowLog.Fields)
    private[this] var at     = slice.from

    def getOffset: PartitionOffset = ReadOf(slice.partition, at)

    override def nextWithTimeout(start: java.lang.Long, millis: java.lang.Long): RecordStatus =
      RecordStatus.newStatusWithoutArrivalTime(read(millis))

    def next(): Boolean = slice.until.exists(at < _) && read(0L)

    private[this] def read(millis: Long): Boolean = {
      val isThere = part.read(at, fields, millis)
      if (isThere) at += 1
      isThere
    }

    def get(): InternalRow = {
      row.reset()
      row.zeroOutNullBytes()
      row.write(0, fields(0))
      row.write(1, fields(1) * 1000L)
      row.write(2, fields(2))
      row.getRow
    }

    def close(): Unit = ()
  }
}
