package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.functions.TaskWork
import dev.sparkwindowing.spark.plan.WindowProgram

/** What of a task is dear to build and remembers no row: the functions and the projections of the output.
  *
  * @param fields
  *   number of columns of the input rows
  */
private[sparkwindowing] final class TaskParts(val program: WindowProgram, val fields: Int) {
  val work: TaskWork   = program.computation.inTask(program.input.argumentOrdinals, fields)
  val rows: OutputRows = new OutputRows(program, fields)
}
