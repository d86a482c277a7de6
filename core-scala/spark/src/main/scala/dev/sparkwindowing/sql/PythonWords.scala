package dev.sparkwindowing.sql

/** What SQL writes for the Python code that an error of the builders names. */
private[sql] object PythonWords {

  private val InSql = Seq(
    "F\\.\\w+\\("     -> "F.name(..) is name(..)",
    "\\.cast\\("      -> "x.cast(type) is CAST(x AS type)",
    "\\.alias\\("     -> ".alias(name) is AS name",
    "lambda "         -> "lambda a, b: x is (a, b) -> x",
    "df\\.withColumn" -> "df.withColumn(..) is a column of TABLE(SELECT *, .. FROM t)",
    "key_by\\("       -> "key_by(..).window(..).aggregate(..) is a query over this one"
  ).map { case (python, sql) => (python.r, sql) }

  /** `message`, and behind it what the Python in it is in SQL. */
  def explained(message: String): String = {
    val found = InSql.collect { case (python, sql) if python.findFirstIn(message).nonEmpty => sql }
    if (found.isEmpty) message else s"$message. In SQL ${found.mkString(", ")}"
  }
}
