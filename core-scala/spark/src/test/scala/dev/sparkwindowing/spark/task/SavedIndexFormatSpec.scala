package dev.sparkwindowing.spark.task

import dev.sparkwindowing.operator.StateCell
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

class SavedIndexFormatSpec extends AnyFunSuite {
  private def example = {
    val sums = new StateSums
    sums.rows = 1
    sums.pieces = 2
    sums.windows = 300
    sums.eventTimers = 4
    sums.processingTimers = 50000
    sums.bytes = 1L << 40
    SavedIndex(7, eventTimer = -1000, processingTimer = StateCell.NoTimer, sums)
  }

  test("the bytes stay as they are") {
    assert(
      example.toBytes.map(b => f"$b%02x").mkString == "8107cf0ffeffffffffffffffff010102ac0204d08603808080808020865637ba"
    )
  }

  test("what is written is read") {
    val read = SavedIndex.of(example.toBytes).get
    assert((read.version, read.eventTimer, read.processingTimer) == ((7L, -1000L, StateCell.NoTimer)))
    assert(read.toBytes.toSeq == example.toBytes.toSeq)
    val counters = new TaskCounters
    read.sums.report(counters)
    assert((read.sums.rows, read.sums.pieces, counters.openWindows, counters.eventTimers) == ((1L, 2L, 300L, 4L)))
    assert((counters.processingTimers, counters.stateBytes) == ((50000L, 1L << 40)))
  }

  test("bytes with a change, or not all of them, are none") {
    val bytes = example.toBytes
    for (i <- bytes.indices; bit <- 0 until 8)
      assert(SavedIndex.of(bytes.updated(i, (bytes(i) ^ (1 << bit)).toByte)).isEmpty)
    bytes.indices.foreach(n => assert(SavedIndex.of(bytes.take(n)).isEmpty))
  }

  test("the owner has a value in each column") {
    val types = Seq(
      StringType,
      IntegerType,
      DoubleType,
      DecimalType(30, 2),
      BinaryType,
      BooleanType,
      DateType,
      TimestampType,
      TimestampNTZType,
      DayTimeIntervalType(),
      ArrayType(LongType),
      MapType(StringType, LongType),
      StructType.fromDDL("a int, b struct<c: string>")
    )
    val owner = SavedIndex.owner(types).get
    types.indices.foreach(i => assert(!owner.isNullAt(i), types(i)))
    assert(SavedIndex.owner(Seq(NullType)).exists(_.isNullAt(0)))
    assert(owner.getUTF8String(0).toString == "" && owner.getInt(1) == 0)
    assert(SavedIndex.owner(Seq(ObjectType(classOf[String]))).isEmpty)
  }
}
