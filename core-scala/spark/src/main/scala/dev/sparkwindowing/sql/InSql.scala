package dev.sparkwindowing.sql

import scala.util.matching.Regex

/** Code of the builders in an error, written as SQL. */
private[sql] object InSql {

  private val F    = """(?<![\w.`])F\."""
  private val Df   = """(?<!\w)df\."""
  private val Text = """"((?:[^"\\]|\\.)*)""""

  /** Any text whose parentheses, at most five deep, are closed. */
  private val Closed = (1 to 5).foldLeft("[^()]*")((inner, _) => s"(?:[^()]++|\\($inner\\))*+")

  // In order: each takes what those before it have left.
  private val Rules: Seq[(Regex, Regex.Match => String)] = Seq(
    rule(s"""${F}expr\\($Text\\)\\.cast\\("(\\w+)"\\)""")(m => s"CAST(${unescaped(m.group(1))} AS ${m.group(2)})"),
    rule(s"""${F}expr\\($Text\\)""")(m => unescaped(m.group(1))),
    rule(s"""${F}col\\($Text\\)\\.cast\\("(\\w+)"\\)""")(m => s"CAST(${name(m)} AS ${m.group(2)})"),
    rule(s"""${F}col\\($Text\\)""")(name),
    rule(s"""${F}lit\\((\\w+)\\)\\.cast\\(\\.\\.\\)""")(m => s"CAST(${m.group(1)} AS ..)"),
    rule(s"""$F(\\w+)\\($Text, "(\\w+)"\\)""")(m => s"${m.group(1)}(${name(m, 2)}, '${m.group(3)}')"),
    rule(s"""$F(\\w+)\\($Text""")(m => s"${m.group(1)}(${name(m, 2)}"),
    rule(s"""$F(\\w+)(?=\\()""")(_.group(1)),
    rule("""lambda (\w+(?:, \w+)*): """)(m => s"(${m.group(1)}) -> "),
    rule(s"""${Df}withColumn\\($Text, ($Closed)\\)\\.withWatermark\\($Text, "10 seconds"\\)""")(m =>
      s"TABLE(SELECT * FROM (SELECT *, ${m.group(2)} AS ${name(m)} FROM ..) WATERMARK ${name(m)} DELAY OF INTERVAL 10 SECONDS), " +
        "before Spark 4.1 in a view of a DataFrame"
    ),
    rule(s"""${Df}withColumn\\($Text, \\.\\.\\)""")(m => s"TABLE(SELECT *, .. AS ${name(m)} FROM ..)"),
    rule(s"""${Df}select\\("\\*", $Text\\)""")(m => s"TABLE(SELECT *, ${name(m)} FROM ..)"),
    rule(s"""\\.alias\\($Text\\)""")(m => s" AS ${name(m)}"),
    rule(s"""${Df}withColumn\\($Text, ($Closed)\\)""")(m => s"TABLE(SELECT *, ${m.group(2)} AS event_time FROM ..)"),
    rule(s"""${Df}withWatermark\\($Text, "10 seconds"\\)""")(m =>
      s"TABLE(SELECT * FROM .. WATERMARK ${name(m)} DELAY OF INTERVAL 10 SECONDS), before Spark 4.1 in a view of a DataFrame"
    ),
    rule("""\.alias\(\.\.\), a result of process .*""")(_ => "AS .."),
    rule(", with withColumn")(_ => ", in a SELECT"),
    rule("""that of window\(\.\.\)""")(_ => "that of this call"),
    rule("""key_by\(result, \.\.\)\.window\(\.\.\)\.aggregate\(\.\.\)""")(_ =>
      "a call over TABLE(SELECT .. FROM this call)"
    )
  )

  def text(message: String): String =
    if (message.contains("pd.DataFrame(")) s"$message. SQL has no form of this: use the builders"
    else
      Rules.foldLeft(message) { case (text, (python, sql)) =>
        python.replaceAllIn(text, m => Regex.quoteReplacement(sql(m)))
      }

  private def rule(python: String)(sql: Regex.Match => String): (Regex, Regex.Match => String) = (python.r, sql)

  private def unescaped(text: String): String = text.replaceAll("""\\(.)""", "$1")

  /** A column, in backticks if it needs them and is neither in backticks already nor an expression. */
  private def name(m: Regex.Match, group: Int): String = {
    val text = m.group(group)
    if (text.matches("""[\w.]+|.*[`(].*""")) text else s"`$text`"
  }

  private def name(m: Regex.Match): String = name(m, 1)
}
