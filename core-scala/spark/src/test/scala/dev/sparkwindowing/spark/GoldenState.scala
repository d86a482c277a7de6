package dev.sparkwindowing.spark

import dev.sparkwindowing.assigners.{EventTimeSessionWindows, SlidingEventTimeWindows, TumblingEventTimeWindows}
import dev.sparkwindowing.columns.{ColumnTrigger, TriggerAnswer}
import dev.sparkwindowing.evictors.CountEvictor
import dev.sparkwindowing.spark.checkpoint.StateRow
import dev.sparkwindowing.spark.exec.StoredBlocks
import dev.sparkwindowing.spark.plan.StateStoreRules
import dev.sparkwindowing.triggers.{AfterWatermark, AnyTrigger, CountTrigger, EventTimeTrigger}
import dev.sparkwindowing.{KeyedStream, SparkWindowing}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Column, DataFrame, SparkSession}

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}
import java.time.Duration.ofSeconds
import java.util.HexFormat

/** Files with the state of queries as version 1 of its format has it, and of one each as versions 2 and 3 have it.
  *
  * `./sbtw "spark/Test/runMain dev.sparkwindowing.spark.GoldenState"` writes those that are not there.
  */
object GoldenState {
  import Event.at

  /** What a query has left in its checkpoint: one row of the state store in hexadecimal digits, and two files.
    *
    * @param results
    *   output of the query that goes on from it
    */
  final case class Golden(key: String, row: String, results: Seq[String], specification: String, layout: String) {
    def stateRow: UnsafeRow = rowOf(row)
  }

  final class Query(val name: String, build: KeyedStream => DataFrame) {

    /** The query, stopped after one micro-batch with these rows. */
    def after(spark: SparkSession, rows: Seq[Event]): DrivenQuery = {
      // The watermark stays a minute behind, so that nothing fires in it.
      val q =
        new DrivenQuery(spark, delay = Some("1 minute"))(e => build(SparkWindowing.keyBy(e, Seq(col("key")))))
      try q.start().batch(rows: _*)
      finally q.stop()
      q
    }
  }

  val Keys: StructType = StructType.fromDDL("key string")

  /** Of one key, in three windows of ten seconds. */
  val First: Seq[Event] = Seq(at("a", 3, 1000), at("a", 9, 4000), at("a", 4, 12000), at("a", 5, 27000))

  /** Rows at the same times, with other values. */
  val Other: Seq[Event] = First.map(e => e.copy(value = e.value * 7))

  private val tumbling           = TumblingEventTimeWindows.of(ofSeconds(10))
  private val sums: Seq[Column]  = Seq(count(lit(1)).as("n"), sum("value").as("total"), avg("value").as("mean"))
  private val words: Seq[Column] =
    Seq(max(concat(col("key"), col("value"))).as("last"), collect_list("value").as("all"))
  private val answers = ColumnTrigger.of(
    struct(lit(0).as("seen")),
    TriggerAnswer.of(
      fire = col("state.seen") + col("element.value") > 12, // of the first rows none
      state = struct((col("state.seen") + col("element.value")).as("seen"))
    )
  )

  val queries: Seq[Query] = Seq(
    new Query("tumbling", _.window(tumbling).allowedLateness(ofSeconds(4)).aggregate(sums: _*)),
    new Query(
      "sessions",
      _.window(EventTimeSessionWindows.withGap(ofSeconds(5))).withPane().aggregate(sums ++ words: _*)
    ),
    new Query(
      "slices",
      _.window(SlidingEventTimeWindows.of(ofSeconds(20), ofSeconds(10))).aggregate(sums: _*)
    ),
    new Query(
      "rows",
      _.window(tumbling).evictor(CountEvictor.of[InternalRow](1)).aggregate(sums: _*)
    ),
    new Query("dashboard", _.window(tumbling).trigger(AfterWatermark.of(early = ofSeconds(7))).aggregate(sums: _*)),
    new Query(
      "parts",
      _.window(tumbling)
        .trigger(AnyTrigger.of[Any](CountTrigger.of(9), EventTimeTrigger.create()))
        .aggregate(words: _*)
    ),
    new Query("columns", _.window(tumbling).trigger(answers).aggregate(sums: _*))
  )

  /** A query with the state of its one key in several rows of the state store.
    *
    * @param events
    *   which give as many rows as events of other values do
    */
  final class InPieces(folder: String, val query: Query, events: Seq[Event], sizes: (String, String)*) {
    val file: String = s"$folder/${query.name}.txt"

    /** The query, stopped after one micro-batch with the events, whose values are multiplied. */
    def after(spark: SparkSession, factor: Int = 1): DrivenQuery = {
      val own = spark.newSession()
      sizes.foreach { case (name, value) => own.conf.set(name, value) }
      query.after(own, events.map(e => e.copy(value = e.value * factor)))
    }

    /** The rows of the state store by their keys, and what came of them. */
    def read(): (Map[String, String], Seq[String]) = {
      val (rows, results) = text(file).linesIterator.toList.span(_.startsWith("row "))
      (rows.map(_.split(' ')).map(r => r(1) -> r(2)).toMap, results)
    }
  }

  /** Kept rows of a window of ten seconds, and the sums of many windows of two seconds. */
  val inPieces: Seq[InPieces] = Seq(
    new InPieces(
      "state/v2",
      new Query("pieces", _.window(tumbling).evictor(CountEvictor.of[InternalRow](9)).aggregate(sums: _*)),
      (1 to 12).map(i => at("a", i, 1000L + i)),
      StateStoreRules.TailSetting  -> "150",
      StateStoreRules.ChunkSetting -> "200"
    ),
    new InPieces(
      "state/v3",
      new Query("pages", _.window(TumblingEventTimeWindows.of(ofSeconds(2))).aggregate(sums: _*)),
      (1 to 25).map(i => at("a", i, i * 2000L)),
      StateStoreRules.WindowsSetting -> "400",
      StateStoreRules.PageSetting    -> "200"
    )
  )

  def rowOf(hexadecimal: String): UnsafeRow = {
    val bytes = HexFormat.of.parseHex(hexadecimal)
    val made  = new UnsafeRow(StateRow.Schema.size)
    made.pointTo(bytes, bytes.length)
    made
  }

  /** Output of a query that starts again: one more row, then the end of all windows. */
  def goesOn(q: DrivenQuery): Seq[String] =
    try {
      q.start()
      WindowText.of(q.batch(at("a", 8, 28000)) ++ q.watermark(200000))
    } finally q.stop()

  def file(q: DrivenQuery, name: String): Path = q.checkpoint.resolve(s"state/0/_window/$name")

  def hex(row: (UnsafeRow, UnsafeRow)): (String, String) =
    (HexFormat.of.formatHex(row._1.getBytes), HexFormat.of.formatHex(row._2.getBytes))

  private val Folder = "state/v1"

  def read(name: String): Golden = {
    val key :: row :: results = text(s"$Folder/$name.txt").linesIterator.toList
    Golden(key, row, results, text(s"$Folder/$name.specification"), text(s"$Folder/$name.layout"))
  }

  private def text(name: String): String = {
    val in = getClass.getClassLoader.getResourceAsStream(name)
    if (in == null)
      throw new IllegalStateException(s"no $name: run GoldenState once, and look at what it wrote")
    try new String(in.readAllBytes(), UTF_8)
    finally in.close()
  }

  def main(args: Array[String]): Unit = {
    val spark  = SharedSpark.session
    val folder = Files.createDirectories(Paths.get("src/test/resources", Folder))
    for (query <- queries if !Files.exists(folder.resolve(s"${query.name}.txt"))) {
      val q                       = query.after(spark, First)
      val Seq((key, row))         = StoredBlocks.rows(spark, q.checkpoint, batch = 0, Keys).map(hex)
      val (specification, layout) = (Files.readString(file(q, "specification")), Files.readString(file(q, "layout")))
      val lines                   = key +: row +: goesOn(q)
      Files.writeString(folder.resolve(s"${query.name}.txt"), lines.mkString("", "\n", "\n"))
      Files.writeString(folder.resolve(s"${query.name}.specification"), specification)
      Files.writeString(folder.resolve(s"${query.name}.layout"), layout)
    }
    for (golden <- inPieces) {
      val file = Paths.get("src/test/resources", golden.file)
      if (!Files.exists(file)) {
        val q     = golden.after(spark)
        val rows  = StoredBlocks.rows(spark, q.checkpoint, batch = 0, Keys).map(hex).sorted
        val lines = rows.map { case (key, row) => s"row $key $row" } ++ goesOn(q)
        Files.createDirectories(file.getParent)
        Files.writeString(file, lines.mkString("", "\n", "\n"))
      }
    }
    spark.stop()
  }
}
