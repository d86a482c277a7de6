package dev.sparkwindowing.spark.plan

import org.apache.spark.sql.internal.SQLConf

/** Comparison of column and output names under the active session's setting: case-insensitive unless
  * `spark.sql.caseSensitive` is set.
  */
private[spark] object OutputNames {

  def same(a: String, b: String): Boolean = SQLConf.get.resolver(a, b)

  /** The first two elements with equal names. */
  def twice[A](all: Seq[A])(name: A => String): Option[(A, A)] = all.indices.combinations(2).collectFirst {
    case Seq(i, j) if same(name(all(i)), name(all(j))) => (all(i), all(j))
  }

  /** For errors: the second spelling of a name, if it differs. */
  def also(name: String, other: String): String = if (name == other) "" else s" and '$other'"
}
