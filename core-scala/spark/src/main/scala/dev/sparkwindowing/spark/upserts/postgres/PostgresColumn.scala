package dev.sparkwindowing.spark.upserts.postgres

import dev.sparkwindowing.spark.advice.{Code, Face}
import dev.sparkwindowing.spark.plan.OutputLayout.Window
import dev.sparkwindowing.spark.upserts.batch.Changes.quoted
import org.apache.spark.sql.Column
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types._

import scala.jdk.CollectionConverters._

/** A column of a table, and where its values come from.
  *
  * @param sqlType
  *   its type in PostgreSQL
  * @param source
  *   the column in the changes of a micro-batch
  */
private[postgres] final case class PostgresColumn(name: String, sqlType: String, source: Column, sparkType: DataType) {
  import PostgresColumn._

  /** Its values as texts that PostgreSQL reads. */
  def text: Column = (sparkType match {
    case _ if sqlType == "jsonb" => to_json(source, (Times + ("ignoreNullFields" -> "false")).asJava)
    // A cast takes the time zone of the session; a CSV of one column does not.
    case TimestampType => when(source.isNotNull, to_csv(struct(source.as("time")), Times.asJava))
    case BinaryType    => concat(lit("\\x"), hex(source))
    case _             => source.cast("string")
  }).as(name)
}

private[postgres] object PostgresColumn {

  /** The columns for the bounds of the window. */
  val Bounds: Seq[String] = Seq("window_start", "window_end")

  // In UTC, so that a column without time zone gets the same text in every session.
  private val Times = Map("timeZone" -> "UTC", "timestampFormat" -> "yyyy-MM-dd HH:mm:ss.SSSSSSXXX")

  /** The columns for a result; its window has one for each bound.
    *
    * @throws java.lang.IllegalArgumentException
    *   if PostgreSQL has no type for a column
    */
  def of(result: StructType): Seq[PostgresColumn] = result.flatMap { field =>
    (field.name, field.dataType) match {
      case (Window, window: StructType) =>
        Bounds.zip(window.fields.map(_.name)).map { case (name, bound) =>
          val times = window(bound).dataType
          PostgresColumn(name, typeOf(field.name, times), col(s"$Window.$bound"), times)
        }
      case (name, kind) => Seq(PostgresColumn(name, typeOf(name, kind), col(s"row.${quoted(name)}"), kind))
    }
  }

  private def typeOf(name: String, kind: DataType): String = kind match {
    case _: ArrayType | _: MapType | _: StructType => "jsonb"
    case BinaryType                                => "bytea"
    case BooleanType                               => "boolean"
    case ByteType | ShortType                      => "smallint"
    case DateType                                  => "date"
    case _: DecimalType                            => "numeric"
    case DoubleType                                => "double precision"
    case FloatType                                 => "real"
    case IntegerType                               => "integer"
    case LongType                                  => "bigint"
    case _: StringType                             => "text"
    case TimestampType                             => "timestamp with time zone"
    case TimestampNTZType                          => "timestamp"
    case other                                     =>
      val cast = Code { case Face.Python | Face.Scala => """.cast("string")"""; case _ => "CAST(.. AS string)" }
      throw new IllegalArgumentException(
        s"${Code.name("upsert_to_postgres")} has no type for $name of ${other.simpleString}: cast it, $cast"
      )
  }
}
