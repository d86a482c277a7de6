package dev.sparkwindowing.interop

import dev.sparkwindowing.spark.analysis.Analysis
import dev.sparkwindowing.spark.declared.{Declaration, DeclaredRows}
import dev.sparkwindowing.spark.plan.KeyedInput
import org.apache.spark.sql.DataFrame

import java.lang.ref.SoftReference

/** Inputs of the last declarations as they were resolved. Each step of a declaration in Python comes with all that was
  * declared before it; its keys and its event time are resolved at the first.
  */
private[interop] object KnownInputs {
  private type Rows = DeclaredRows[DataFrame]

  private val Size = 8

  // By the same DataFrames and equal columns; the newest first.
  private[this] var known = new SoftReference(List.empty[(Rows, KeyedInput)])

  def of(rows: Rows): KeyedInput = find(rows).getOrElse {
    val input = Analysis.input(rows, of)
    add(rows, input)
    input
  }

  def result(declaration: Declaration[DataFrame]): DataFrame = Analysis.of(declaration, of(declaration.rows))

  private def find(rows: Rows): Option[KeyedInput] = entries.collectFirst { case (`rows`, input) => input }

  private def entries: List[(Rows, KeyedInput)] = synchronized(Option(known.get).getOrElse(Nil))

  private def add(rows: Rows, input: KeyedInput): Unit = synchronized {
    known = new SoftReference(((rows, input) :: entries).take(Size))
  }
}
