package dev.sparkwindowing.spark.expressions

import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.relocated.Relocated
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, NamedExpression, RowOrdering}
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.types._

/** Types of keys: they have an order, since rows are sorted by key, and a unique form in bytes, since the state store
  * compares bytes. Maps have both once their entries are sorted.
  */
private[sparkwindowing] object KeyTypes {

  /** @throws java.lang.IllegalArgumentException
    *   for a key of another type; says which expression of Spark has the same groups
    */
  def check(keys: Seq[NamedExpression]): Unit = keys.foreach { k =>
    if (!isTaken(k.dataType)) throw new IllegalArgumentException(refusal(k.name, Columns.unnamed(k)))
  }

  /** SQL of a value with an order and a unique form in bytes, equal where values of that type and text are; None if
    * Spark has no function for it.
    */
  def comparable(t: DataType, sql: String): Option[String] = form(t, sql, sameGroups = true)

  /** The key with the entries of all maps sorted. A key without maps needs nothing of Spark for it. */
  def sorted(key: Expression): Expression = if (holdsMap(key.dataType)) SortedMaps.of(key) else key

  private def holdsMap(t: DataType): Boolean = t match {
    case _: MapType            => true
    case ArrayType(element, _) => holdsMap(element)
    case StructType(fields)    => fields.exists(f => holdsMap(f.dataType))
    case _                     => false
  }

  private def isTaken(t: DataType): Boolean = isPlain(if (SortedMaps.group) entries(t) else t)

  private def isPlain(t: DataType): Boolean =
    RowOrdering.isOrderable(t) && Relocated.isBinaryStable(t) && !leaves(t).exists(isShape)

  private def isShape(t: DataType): Boolean = t.sql.startsWith("GEOMETRY") || t.sql.startsWith("GEOGRAPHY")

  private def entries(t: DataType): DataType = t match {
    case MapType(key, value, _) => ArrayType(StructType(Seq(field(entries(key)), field(entries(value)))))
    case ArrayType(element, _)  => ArrayType(entries(element))
    case StructType(fields)     => StructType(fields.map(f => field(entries(f.dataType))))
    case other                  => other
  }

  private def field(t: DataType) = StructField("field", t)

  private def refusal(name: String, key: Expression): String = {
    val t              = key.dataType
    val (column, over) = key match {
      case a: Attribute => (quoteIfNeeded(a.name), "")
      case _            => (quoteIfNeeded(name), s" over ${Code.df.withColumn(name, Code.dots)}")
    }
    val collations         = collationsOf(t)
    def line(form: String) = s"${Code.sql(form).as(name)} as key$over"
    val advice             = (form(t, column, sameGroups = true), form(t, column, sameGroups = false)) match {
      case (Some(same), _)     => s"use ${line(same)}"
      case (None, Some(apart)) =>
        s"no function of Spark has the groups of ${collations.mkString(", ")}; ${line(apart)} keeps different texts apart"
      case _ => "use another column as key"
    }
    val why = if (collations.isEmpty) "which has no order" else "whose collation takes different texts for equal"
    s"key '$name' is of type ${t.sql}, $why: $advice"
  }

  /** SQL of a plain type whose equal values are the equal values of `x`; None if Spark has no such function. */
  private def form(t: DataType, x: String, sameGroups: Boolean, depth: Int = 0): Option[String] = {
    def of(t: DataType, x: String) = form(t, x, sameGroups, depth + 1)
    val each                       = s"x$depth"
    t match {
      case t if isPlain(t)         => Some(x)
      case t: StringType           => text(collation(t), x, sameGroups)
      case CalendarIntervalType    => Some(s"CAST($x AS STRING)")
      case t if t.sql == "VARIANT" => Some(s"to_json($x)")
      case t if isShape(t)         =>
        Some(if (t.sql.contains("ANY")) s"struct(st_srid($x), st_asbinary($x))" else s"st_asbinary($x)")
      case MapType(k, v, _) =>
        for (key <- of(k, s"$each.key"); value <- of(v, s"$each.value")) yield {
          val isAsItIs = key == s"$each.key" && value == s"$each.value"
          val list     = s"map_entries($x)"
          s"array_sort(${if (isAsItIs) list else s"transform($list, $each -> struct($key, $value))"})"
        }
      case ArrayType(element, _) => of(element, each).map(e => s"transform($x, $each -> $e)")
      case StructType(fields)    =>
        val parts = fields.toSeq.map { f =>
          of(f.dataType, s"$x.${quoteIfNeeded(f.name)}").map(e => s"'${f.name.replace("'", "\\'")}', $e")
        }
        if (parts.exists(_.isEmpty)) None
        else Some(s"IF($x IS NULL, NULL, named_struct(${parts.flatten.mkString(", ")}))")
      case _ => None
    }
  }

  private def text(collation: String, x: String, sameGroups: Boolean): Option[String] = {
    val bytes   = s"collate($x, 'UTF8_BINARY')"
    val trimmed = if (collation.endsWith("_RTRIM")) s"rtrim($bytes)" else bytes
    collation.stripSuffix("_RTRIM") match {
      case "UTF8_BINARY" => Some(trimmed)
      // Lower case of single characters, while lower(..) writes a sigma at the end of a word in another way.
      case "UTF8_LCASE" => Some(s"translate(lower($trimmed), 'ς', 'σ')")
      case _            => if (sameGroups) None else Some(bytes)
    }
  }

  private def collation(t: StringType): String = t.sql.stripPrefix("STRING COLLATE ")

  private def collationsOf(t: DataType): Seq[String] =
    leaves(t).collect { case s: StringType if !Relocated.isBinaryStable(s) => collation(s) }.distinct

  private def leaves(t: DataType): Seq[DataType] = t match {
    case MapType(key, value, _) => leaves(key) ++ leaves(value)
    case ArrayType(element, _)  => leaves(element)
    case StructType(fields)     => fields.toSeq.flatMap(f => leaves(f.dataType))
    case other                  => Seq(other)
  }
}
