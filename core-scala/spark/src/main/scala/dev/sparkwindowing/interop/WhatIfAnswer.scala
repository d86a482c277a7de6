package dev.sparkwindowing.interop

import dev.sparkwindowing.WhatIf
import dev.sparkwindowing.lateness.Outcome
import org.apache.spark.sql.Column

import java.time.Duration
import scala.jdk.CollectionConverters._

/** Answers what would have come of a declaration with several delays of the watermark. */
private[interop] object WhatIfAnswer {

  def of(message: Fields): Seq[java.util.Map[String, Any]] =
    WhatIf
      .of(
        message.frame("result"),
        message.get[Column]("arrived"),
        message.duration("every"),
        message.list[Duration]("delays"),
        message.optional[Column]("per_partition").orNull
      )
      .map(fields(_).asJava)

  private def fields(of: Outcome): Map[String, Any] = Map(
    "rows"        -> of.rows,
    "lost"        -> of.lost,
    "untimed"     -> of.untimed,
    "windows"     -> of.windows,
    "revised"     -> of.revised,
    "revisions"   -> of.revisions,
    "first"       -> millis(of.first),
    "last"        -> millis(of.last),
    "state_bytes" -> of.stateBytes
  )

  private def millis(of: Option[Outcome.Waits]): java.util.List[Long] =
    of.fold(Seq.empty[Long])(w => Seq(w.p50, w.p99)).asJava
}
