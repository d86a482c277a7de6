package dev.sparkwindowing.spark.plan

/** Output of the function after an operator, row by row of the operator's output.
  *
  * @param id
  *   identifier of the function, for the caller that made it
  */
final case class PythonFunctionOutput(id: String, layout: OutputLayout)
