package dev.sparkwindowing.sql

/** Code of the builders in an error, written as SQL. */
private[sql] object InSql {

  // In order: each takes what those before it have left.
  private val Rules = Seq(
    """F\.(?:col|expr)\("([^"]+)"\)\.cast\("(\w+)"\)""" -> "CAST($1 AS $2)",
    """F\.(?:col|expr)\("([^"]+)"\)"""                  -> "$1",
    """F\.lit\((\w+)\)\.cast\(\.\.\)"""                 -> "CAST($1 AS ..)",
    """F\.(\w+)\("([^"]+)", "(\w+)"\)"""                -> "$1($2, '$3')",
    """F\.(\w+)\("([^"]+)""""                           -> "$1($2",
    """F\.(\w+)"""                                      -> "$1",
    """lambda (\w+(?:, \w+)*): """                      -> "($1) -> ",
    """df\.withColumn\("[^"]+", ((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)""" -> "TABLE(SELECT *, $1 AS event_time FROM ..)",
    """df\.withColumnRenamed\("([^"]+)", "([^"]+)"\)"""             -> "TABLE(SELECT $1 AS $2, .. FROM ..)",
    """\.alias\(\.\.\)"""                                           -> "AS ..",
    """key_by\(result, \.\.\)\.window\(\.\.\)\.aggregate\(\.\.\)""" -> "a call over TABLE(SELECT .. FROM this call)"
  ).map { case (python, sql) => (python.r, sql) }

  def text(message: String): String =
    if (message.contains("pd.")) s"$message. SQL has no form of this: use the builders"
    else Rules.foldLeft(message) { case (text, (python, sql)) => python.replaceAllIn(text, sql) }
}
