package dev.sparkwindowing.lateness

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.spark.SharedSpark
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.scalatest.funsuite.AnyFunSuite

import scala.util.Random

/** Advice on the delay of a watermark: the counts of a plain loop over the rows in the order in which they came. */
class AdviceSpec extends AnyFunSuite with SharedSpark {
  import spark.implicits._

  private type Arrival = (String, Option[Long], Long) // partition, event time, micro-batch

  private def table(rows: Seq[Arrival]): DataFrame =
    rows
      .toDF("p", "time", "batch")
      .withColumn("ts", timestamp_millis($"time"))
      .withColumn("at", timestamp_millis($"batch" * 1000 + 7))

  /** How far each row with a time is behind the watermark of the earlier micro-batches. */
  private def behind(rows: Seq[Arrival], perPartition: Boolean): Seq[Long] = {
    var highest            = Map.empty[String, Long]
    var seen: Option[Long] = None
    rows.groupBy(_._3).toSeq.sortBy(_._1).flatMap { case (_, batch) =>
      if (highest.nonEmpty) seen = Some(math.max(seen.getOrElse(Long.MinValue), highest.values.min))
      val found = batch.flatMap(_._2).map(t => math.max(0L, seen.fold(0L)(_ - t)))
      for ((p, Some(t), _) <- batch) {
        val of = if (perPartition) p else ""
        highest += of -> math.max(t, highest.getOrElse(of, Long.MinValue))
      }
      found
    }
  }

  for (perPartition <- Seq(false, true))
    test(s"the rows behind each delay are those of a plain loop, ${if (perPartition) "by partition" else "in all"}") {
      val chance = new Random(11)
      for (size <- Seq(1, 10, 500)) {
        val rows = Seq.fill(size) {
          val batch = chance.nextInt(1 + size / 10).toLong
          val late  = math.pow(10, chance.nextDouble() * 5).toLong
          val time  = if (chance.nextInt(20) == 0) None else Some(batch * 1000 + 500 - late)
          (chance.nextInt(3).toString, time, batch)
        }
        val of     = if (perPartition) $"p" else null
        val model  = behind(rows, perPartition)
        val advice = SparkWindowing.advise(table(rows), $"ts", $"batch", perPartition = of)
        assert(advice.rows == size && advice.rows - advice.unknown == model.size)
        assert(advice.behind == model.count(_ > 0))
        assert(advice.delays.map(_.late) == advice.delays.map(d => model.count(_ > d.delay).toLong))
        assert(advice == SparkWindowing.advise(table(rows), $"ts", $"at", perPartition = of))
        for (share <- Seq(0.5, 0.9, 0.99, 1.0) if model.nonEmpty) {
          val alone = SparkWindowing.advise(table(rows), $"ts", $"batch", perPartition = of, keep = Seq(share)).delays
          assert(alone.size == 1 && alone.head.kept >= share, s"$share of $size")
          // A delay that is shorter by the unit in which it is written keeps less.
          val shorter = alone.head.delay - 1000
          assert(shorter < 0 || model.count(_ <= shorter) < share * model.size)
        }
      }
    }

  test("in words: what each delay keeps, and how much sooner results come") {
    val rows =
      (0L until 1000L).map(i => ("0", Some(i * 1000 - (if (i % 100 == 50) 31000 else if (i == 777) 241000 else 0)), i))
    assert(
      SparkWindowing.advise(table(rows), $"ts", $"batch", keep = Seq(0.98, 0.999, 1)).toString ==
        """Of 1000 rows 11 came behind a later one.
          |A delay of 4 min keeps all rows
          |A delay of 30 s keeps 99.90 % of the rows, 1 late, and results come 210 s sooner
          |A delay of 0 ms keeps 98.90 % of the rows, 11 late, and results come 4 min sooner""".stripMargin
    )
  }

  test("rows of one micro-batch do not delay each other; a longer one has more of them") {
    val rows              = Seq(("0", Some(9000L), 0L), ("0", Some(1000L), 1L), ("0", Some(2000L), 2L))
    def at(every: String) =
      SparkWindowing.advise(table(rows), $"ts", $"at", every = java.time.Duration.parse(every)).behind
    assert(at("PT1S") == 2 && at("PT2S") == 1 && at("PT1M") == 0)
  }

  private def refusal(body: => Any): String = intercept[IllegalArgumentException](body).getMessage

  test("refused: streams, columns of other types, shares that are none") {
    val rows = table(Seq(("0", Some(0L), 0L)))
    assert(refusal(SparkWindowing.advise(rows, $"p", $"at")) == "time must be a TIMESTAMP, got STRING")
    assert(
      refusal(
        SparkWindowing.advise(rows, $"ts", $"p")
      ) == "arrived must be a TIMESTAMP, or the number of a micro-batch, got STRING"
    )
    assert(
      refusal(SparkWindowing.advise(rows, $"ts", $"at", keep = Seq(2)))
        .startsWith("keep must be shares from 0 to 1, got 2.0")
    )
    val stream = spark.readStream.format("rate").load()
    assert(refusal(SparkWindowing.advise(stream, $"timestamp", $"value")).startsWith("advise takes a static DataFrame"))
  }
}
