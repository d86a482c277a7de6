package dev.sparkwindowing.spark

import dev.sparkwindowing.spark.checkpoint.StateRow
import dev.sparkwindowing.spark.exec.StoredBlocks
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.{Files, Path}

/** One state for all lines of Spark: this suite runs on 3.5, 4.0 and 4.1 with the same files, each of which has the
  * rows of the state store, the specification and the layout of a query. So every line writes what the others have
  * written, byte for byte, and goes on from it.
  */
class GoldenStateSpec extends AnyFunSuite with SharedSpark {
  import GoldenState._

  for (query <- queries) {
    lazy val golden = read(query.name)

    test(s"${query.name}: every line of Spark writes the same row, specification and layout") {
      val q = query.after(spark, First)
      assert(StoredBlocks.rows(spark, q.checkpoint, batch = 0, Keys).map(hex) == Seq(golden.key -> golden.row))
      assert(Files.readString(file(q, "specification")) == golden.specification)
      assert(Files.readString(file(q, "layout")) == golden.layout)
    }

    test(s"${query.name}: every line of Spark goes on from them") {
      val q   = query.after(spark, Other)
      val row = golden.stateRow
      assert(StateRow.windows(row) > 0)
      StoredBlocks.change(spark, q.checkpoint, batch = 0, Keys)(_ => StateRow.block(row))
      replace(file(q, "specification"), golden.specification)
      replace(file(q, "layout"), golden.layout)
      val changed = StoredBlocks.rows(spark, q.checkpoint, batch = 0, Keys).map(hex)
      assert(changed == Seq(golden.key -> golden.row), "both have the same timers")
      assert(golden.results.nonEmpty && goesOn(q) == golden.results)
    }
  }

  private def stored(q: DrivenQuery): Map[String, String] =
    StoredBlocks.rows(spark, q.checkpoint, batch = 0, Keys).map(hex).toMap

  for (golden <- inPieces) {
    lazy val (rows, results) = golden.read()

    test(s"${golden.query.name}: every line of Spark writes the same rows") {
      assert(rows.size > 3)
      assert(stored(golden.after(spark)) == rows)
    }

    test(s"${golden.query.name}: every line of Spark goes on from the rows") {
      val q = golden.after(spark, factor = 7)
      StoredBlocks.rewrite(spark, q.checkpoint, batch = 0, Keys)((key, row) => Some(rowOf(rows(hex(key -> row)._1))))
      assert(stored(q) == rows, "both have the same keys")
      assert(results.nonEmpty && goesOn(q) == results)
    }
  }

  private def replace(path: Path, text: String): Unit = {
    Files.deleteIfExists(path.resolveSibling(s".${path.getFileName}.crc"))
    Files.writeString(path, text)
  }
}
