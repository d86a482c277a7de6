package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.columns.TriggerMemory
import dev.sparkwindowing.spark.functions.KeptContents
import org.apache.spark.sql.types.StructType

/** The specification of a query: all that its state depends on, a name and a value a line, readable, and equal at every
  * start of the same query.
  */
private[sparkwindowing] object Specification {

  type Lines = Seq[(String, String)]

  /** @param path
    *   how the rows come to the operator: it decides what the state holds
    */
  def of(program: WindowProgram, path: InputPath): Lines =
    (declared(program) :+ ("kept" -> path.kept)) ++ keptRows(program, path) ++ triggerMemory(program) ++ states(program)

  /** The lines of what was declared. */
  def declared(program: WindowProgram): Lines = {
    import program._
    Seq(
      "assigner"         -> PartText.of(assigner),
      "trigger"          -> PartText.of(trigger),
      "evictor"          -> evictor.fold("none")(PartText.of),
      "allowed lateness" -> s"$allowedLateness ms",
      "panes"            -> (if (output.pane) "remembered" else "none"),
      "keys"      -> input.keyTexts.zip(input.keyTypes).map { case (k, t) => s"$k ${t.catalogString}" }.mkString(", "),
      "functions" -> computation.description.mkString(", "),
      "buffer"    -> computation.stateText
    )
  }

  // Rows that are kept are read by position, each as the type that the column had when it came. Spark's bytes of a row
  // begin with a word of nulls for 64 columns each, so that further columns of a late side output may move all others.
  private def keptRows(program: WindowProgram, path: InputPath): Lines =
    if (program.keptContents != KeptContents.Rows) Nil
    else {
      val numbers = path match {
        case _: InputPath.RowByRow if program.seesOrder => 1
        case _                                          => 0
      }
      val words = (program.input.types.length + numbers + 63) / 64
      Seq("kept rows" -> s"${text(readColumns(program))} of ${words * 64 - 63} to ${words * 64} columns")
    }

  // Values that a trigger remembers, as far as their type is known: the row of a delta trigger, a state.
  private def triggerMemory(program: WindowProgram): Lines = {
    val typed = TriggerMemory(program.trigger, readColumns(program)).values.filter(_.dataType.isInstanceOf[StructType])
    if (typed.isEmpty) Nil else Seq("trigger memory" -> text(StructType(typed)))
  }

  private def states(program: WindowProgram): Lines = {
    val states = program.computation.keptStates
    if (states.isEmpty) Nil else Seq("states" -> text(states))
  }

  // Keys and event time are left out: they are where they always are.
  private def readColumns(program: WindowProgram): StructType = {
    val input = program.input
    StructType(input.columns.take(input.readCount).zipWithIndex.collect {
      case (f, i) if i >= input.keyCount && i != input.timeOrdinal => f
    })
  }

  private def text(fields: StructType): String = fields.catalogString
}
