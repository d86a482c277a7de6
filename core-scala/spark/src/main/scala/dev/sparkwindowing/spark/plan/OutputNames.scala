package dev.sparkwindowing.spark.plan

import org.apache.spark.sql.internal.SQLConf

/** Names of columns and outputs, compared as the session at hand does: without regard to upper and lower case unless
  * `spark.sql.caseSensitive` is set.
  */
private[plan] object OutputNames {

  def same(a: String, b: String): Boolean = SQLConf.get.resolver(a, b)

  /** The first two that have one name. */
  def twice[A](all: Seq[A])(name: A => String): Option[(A, A)] = all.indices.iterator
    .flatMap { i =>
      all.indices.drop(i + 1).find(j => same(name(all(i)), name(all(j)))).map(j => (all(i), all(j)))
    }
    .nextOption()

  /** For errors, the other way that a name is written, if it is. */
  def also(name: String, other: String): String = if (name == other) "" else s" and '$other'"
}
