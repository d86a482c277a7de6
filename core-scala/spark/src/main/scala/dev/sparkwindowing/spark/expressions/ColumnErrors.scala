package dev.sparkwindowing.spark.expressions

import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.relocated.Relocated
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.types.{StructField, StructType}

/** Errors for expressions that Spark refuses. They name the part with the expression and omit Spark's plan. */
private[sparkwindowing] object ColumnErrors {

  /** The result of `analyze`.
    *
    * @param what
    *   name of the expression
    * @param over
    *   description of the columns that it may refer to
    * @param frame
    *   the columns that it may refer to
    * @throws java.lang.IllegalArgumentException
    *   if Spark refuses it
    */
  def named[T](what: String, over: String, frame: StructType)(analyze: => T): T =
    try analyze
    catch {
      case e: AnalysisException => throw new IllegalArgumentException(what + said(e, over, frame), e)
    }

  private def said(e: AnalysisException, over: String, frame: StructType): String = e match {
    case p: ParseException => s": Spark cannot read '${p.command.getOrElse("")}': ${plain(p)}"
    case other             => analyzed(other, over, frame)
  }

  private def analyzed(e: AnalysisException, over: String, frame: StructType): String = {
    def parameter(name: String) = Option(e.getMessageParameters.get(name))
    Option(Relocated.condition(e)) match {
      case Some(c) if c.startsWith("UNRESOLVED_COLUMN") =>
        val unknown = parameter("objectName").getOrElse("")
        s" knows no column $unknown: it is an expression over $over${instead(unknown.stripPrefix("`").stripSuffix("`"), frame)}"
      case Some("FIELD_NOT_FOUND") =>
        s" knows no field ${parameter("fieldName").getOrElse("")}: there are ${parameter("fields").getOrElse("")}"
      case _ => s": ${plain(e)} It is an expression over $over"
    }
  }

  // A column of the input is a field of the struct of a row.
  private def instead(name: String, frame: StructType): String = {
    val structs = frame.collect { case StructField(s, t: StructType, _, _) if t.fieldNames.contains(name) => s }
    if (structs.isEmpty) "" else structs.map(Code.field(_, name)).mkString("; write ", " or ", "")
  }

  private def plain(e: AnalysisException): String =
    e.getMessage.trim.linesIterator
      .next()
      .replaceFirst("^\\[[A-Z0-9_.]+\\] ", "")
      .replaceFirst(" SQLSTATE: \\w+.*$", "")
}
