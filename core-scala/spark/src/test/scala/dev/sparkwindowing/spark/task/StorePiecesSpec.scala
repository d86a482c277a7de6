package dev.sparkwindowing.spark.task

import dev.sparkwindowing.pieces.PieceSizes
import dev.sparkwindowing.spark.checkpoint.StateRow
import dev.sparkwindowing.spark.relocated.SinceSpark4
import dev.sparkwindowing.spark.{SharedSpark, StateStores}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Murmur3Hash, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files

/** Pieces as rows of Spark's own stores. */
class StorePiecesSpec extends AnyFunSuite with SharedSpark {
  private val pieces = 3

  spark.streams // makes the coordinator that a store asks

  private def keysOf(fields: Int): (StructType, Seq[UnsafeRow]) = {
    val types =
      StructType.fromDDL((0 until fields).map(i => s"c$i ${Seq("string", "int", "bigint")(i % 3)}").mkString(", "))
    val write = UnsafeProjection.create(types)
    val rows  = (0 until 12).map { n =>
      InternalRow.fromSeq((0 until fields).map { i =>
        if ((n + i) % 5 == 0) null
        else if (i % 3 == 0) UTF8String.fromString("x" * (n * 3) + n)
        else if (i % 3 == 1) -n * i
        else n.toLong << 40
      })
    }
    (types, rows.map(row => write(row).copy()).distinct)
  }

  private def text(key: UnsafeRow, types: StructType): String = key.toSeq(types).mkString(",")

  for ((store, settings) <- StateStores.all; fields <- Seq(1, 2, 7, 8, 9))
    test(s"keys of $fields columns on $store") {
      val (types, keys) = keysOf(fields)
      val provider      = SinceSpark4.stateOf(
        StateStores.session(spark, settings),
        Files.createTempDirectory("state").toString,
        partition = 0,
        types
      )
      try {
        val writer = new StateRow.Writer
        val filled = provider.getStore(0)
        val before = new StorePieces(filled, fields, PieceSizes.Default, () => ())
        keys.foreach { key =>
          filled.put(key, writer(Array[Byte](1), 1, 2, 3, 4, 5))
          (0 until pieces).foreach(n => before.of(key).write(n.toLong, s"${text(key, types)} $n".getBytes))
        }
        filled.commit()

        val store = provider.getStore(1)
        val after = new StorePieces(store, fields, PieceSizes.Default, () => ())
        keys.foreach { key =>
          assert(StateRow.windows(store.get(key)) == 3)
          val read =
            (0 to pieces).map(n => after.of(key).read(n.toLong)).map(b => if (b == null) null else new String(b))
          assert(read == (0 until pieces).map(n => s"${text(key, types)} $n") :+ null)
        }
        val all = store.iterator().map(pair => (pair.key.copy(), pair.value.copy())).toList
        assert(all.size == keys.size * (1 + pieces))
        // Columns, and with them the partition, are those of the owner.
        val hash = new Murmur3Hash(types.zipWithIndex.map { case (f, i) => BoundReference(i, f.dataType, f.nullable) })
        val partition = keys.map(key => text(key, types) -> hash.eval(key)).toMap
        all.foreach { case (key, _) => assert(partition(text(key, types)) == hash.eval(key)) }
        // All keys come first where a scan relies on it.
        if (store.getClass.getName.contains("RocksDB") && StorePieces.areSorted(fields))
          assert(all.dropWhile { case (_, row) => !StateRow.isPiece(row) }.size == keys.size * pieces)

        keys.foreach(key => (0 until pieces).foreach(n => after.of(key).remove(n.toLong)))
        assert(store.iterator().count(pair => StateRow.isPiece(pair.value)) == 0)
        store.abort()
      } finally provider.close()
    }
}
