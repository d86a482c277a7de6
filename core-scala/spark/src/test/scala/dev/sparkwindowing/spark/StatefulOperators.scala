package dev.sparkwindowing.spark

import dev.sparkwindowing.spark.relocated.SinceSpark4
import org.apache.spark.sql._
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{GroupState, GroupStateTimeout, OutputMode}

import java.sql.Timestamp

/** Input and output type of Spark's operators with user-defined state in these tests. */
final case class Timed(key: String, value: Int, ts: Timestamp)

/** Spark's stateful operators, each over rows of `key`, `value` and `ts`, which has a watermark, to rows of the same
  * columns, or `window` in the place of `ts`; those that users write lose the watermark of `ts`.
  *
  * @param build
  *   over the rows and, for joins, the rows of another source
  */
final case class StatefulOperator(name: String, build: (DataFrame, DataFrame) => DataFrame)

object StatefulOperators {
  private implicit val timed: Encoder[Timed] = Encoders.product[Timed]
  private implicit val text: Encoder[String] = Encoders.STRING

  private def one(name: String)(build: DataFrame => DataFrame) = StatefulOperator(name, (rows, _) => build(rows))

  private def typed(rows: DataFrame) = rows.select("key", "value", "ts").as[Timed].groupByKey(_.key)

  private def joined(kind: String)(left: DataFrame, right: DataFrame): DataFrame = {
    val other = right.select(col("key").as("other"), col("value").as("other_value"), col("ts").as("other_ts"))
    left
      .join(
        other,
        col("key") === col("other") && col("value") === col("other_value") && col("other_value") > 3 &&
          col("other_ts") >= col("ts") && col("other_ts") <= col("ts") + expr("INTERVAL 5 SECONDS"),
        kind
      )
      .select("key", "value", "ts")
  }

  // With a timeout of processing time micro-batches follow one another without end, so a test never has them all.
  private def timeouts = Seq(
    "no timeout"         -> GroupStateTimeout.NoTimeout,
    "event-time timeout" -> GroupStateTimeout.EventTimeTimeout
  )

  val all: Seq[StatefulOperator] = Seq(
    one("aggregation by windows")(r =>
      r.groupBy(col("key"), window(col("ts"), "10 seconds")).agg(sum("value").as("value"))
    ),
    one("aggregation by sessions")(r =>
      r.groupBy(col("key"), session_window(col("ts"), "5 seconds").as("window")).agg(sum("value").as("value"))
    ),
    one("distinct")(_.select("key", "value", "ts").distinct()),
    one("dropDuplicates")(_.dropDuplicates("key", "ts").select("key", "value", "ts")),
    one("limit")(_.select("key", "value", "ts").limit(1000)),
    StatefulOperator("inner join", joined("inner")),
    StatefulOperator("left outer join", joined("left_outer"))
  ) ++ Seq(one("dropDuplicatesWithinWatermark") { r =>
    if (r.isStreaming) r.dropDuplicatesWithinWatermark("key", "value").select("key", "value", "ts")
    else r.dropDuplicates("key", "value").select("key", "value", "ts")
  }) ++ timeouts.flatMap { case (name, timeout) =>
    Seq(
      one(s"flatMapGroupsWithState, $name")(r =>
        typed(r)
          .flatMapGroupsWithState[Int, Timed](OutputMode.Append(), timeout)(
            (_: String, rows: Iterator[Timed], _: GroupState[Int]) => rows
          )(Encoders.scalaInt, timed)
          .toDF()
      ),
      one(s"mapGroupsWithState, $name")(r =>
        typed(r)
          .mapGroupsWithState[Int, Timed](timeout)((_: String, rows: Iterator[Timed], _: GroupState[Int]) =>
            rows.maxBy(_.ts.getTime)
          )(Encoders.scalaInt, timed)
          .toDF()
      )
    )
  } ++ SinceSpark4.transformWithState.map(operator => one("transformWithState")(r => operator(typed(r), r.isStreaming)))
}
