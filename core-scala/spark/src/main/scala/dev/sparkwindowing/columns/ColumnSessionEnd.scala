package dev.sparkwindowing.columns

import dev.sparkwindowing.assigners.{LimitedSessionWindows, SessionEnd, SessionWindowAssigner}
import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.spark.advice.{Code, Face}
import dev.sparkwindowing.spark.expressions.ColumnBinder
import dev.sparkwindowing.spark.rows.BoundColumn
import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.BooleanType

import java.time.Duration

/** Ends a session at each row for which a column is true. Null counts as false. */
final class ColumnSessionEnd private (@transient column: Column, text: String, slot: Option[BoundColumn])
    extends SessionEnd[InternalRow]
    with ColumnPart[ColumnSessionEnd] {

  private[columns] def bind(binder: ColumnBinder): ColumnSessionEnd = {
    val bound = binder.value(column, "the end of sessions")
    if (bound.dataType != BooleanType)
      throw new IllegalArgumentException(
        s"the end of sessions must be a boolean column, got $text of type ${bound.dataType.sql}: compare it, e.g. ${ColumnSessionEnd.Compared}"
      )
    new ColumnSessionEnd(column, bound.text, Some(bound))
  }

  def isEnd(row: InternalRow): Boolean = {
    val at = onceBound(slot).ordinal
    !row.isNullAt(at) && row.getBoolean(at)
  }

  override def spec: Spec = Spec.Sql(text)
}

object ColumnSessionEnd {
  private val Compared = Code {
    case Face.Scala => s""".endsAt(ColumnSessionEnd.of(${Code.column("kind")} === "logout"))"""
    case Face.Sql   => "ends_at => \"kind = 'logout'\""
    case _          => s"""ends_at=${Code.column("kind")} == "logout""""
  }

  /** @param column a boolean expression over a row of the input */
  def of(column: Column): ColumnSessionEnd = new ColumnSessionEnd(column, column.toString, None)

  /** Sessions with a greatest length, ended by rows, or both; null for neither. */
  private[sparkwindowing] def limited(
      sessions: SessionWindowAssigner[InternalRow],
      maxLength: Duration,
      endsAt: Column
  ): LimitedSessionWindows[InternalRow] =
    if (maxLength == null) sessions.endsAt(of(endsAt))
    else if (endsAt == null) sessions.withMaxLength(maxLength)
    else sessions.withMaxLength(maxLength).endsAt(of(endsAt))
}
