package dev.sparkwindowing.spark.declared

import dev.sparkwindowing.spark.plan.WindowRules

/** Windows as they are declared, before anything is resolved: the value that the Scala API, Python, SQL and Spark
  * Connect make alike. [[dev.sparkwindowing.spark.analysis.Analysis]] resolves it.
  *
  * @tparam F
  *   what stands for a DataFrame: the DataFrame, or its number among those beside the declaration
  * @param windows
  *   None for a function on elements and timers, which has no windows
  */
private[sparkwindowing] final case class Declaration[+F](
    rows: DeclaredRows[F],
    windows: Option[WindowRules],
    computed: Computed
) {

  /** The same declaration over other values for the DataFrames. */
  def map[G](frame: F => G): Declaration[G] = copy(rows = rows.map(frame))
}
