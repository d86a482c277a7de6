package dev.sparkwindowing.spark.plan

/** What comes out of the function that runs behind an operator, row by row of what the operator puts out.
  *
  * @param id
  *   tells the function from others, for whoever made it
  */
final case class StagedOutput(id: String, layout: OutputLayout)
