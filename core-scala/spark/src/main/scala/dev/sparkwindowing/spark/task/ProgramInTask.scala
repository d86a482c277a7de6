package dev.sparkwindowing.spark.task

import dev.sparkwindowing.spark.computations.TaskWork
import dev.sparkwindowing.spark.plan.WindowProgram

/** Expensive, stateless parts of a task: the functions and the output projections.
  *
  * @param fields
  *   number of columns of the input rows
  */
private[sparkwindowing] final class ProgramInTask(val program: WindowProgram, val fields: Int) {
  val work: TaskWork   = program.computation.inTask(program.input.argumentOrdinals, fields)
  val rows: OutputRows = new OutputRows(program, fields)
}
