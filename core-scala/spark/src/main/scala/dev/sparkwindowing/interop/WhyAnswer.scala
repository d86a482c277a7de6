package dev.sparkwindowing.interop

import dev.sparkwindowing.simulation.{CheckpointWhy, SimulationRun, StaticWhy, Why}
import dev.sparkwindowing.spark.outputs.SideOutputs
import dev.sparkwindowing.windows.{TimeWindow, Window}
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.{Column, DataFrame, Row}

import scala.jdk.CollectionConverters._

/** Answers why a row or a window is in the results, or not. A message asks in `asked` for an `element` by its number or
  * a `row` by a condition or by its values, or for a window by `key`, a struct, `start` and `end`.
  */
private[interop] object WhyAnswer {

  def of(message: Fields, result: DataFrame, run: => SimulationRun): Seq[java.util.Map[String, Any]] = {
    val asked = message("asked").only("element", "key", "start", "end")
    if (asked.has("element")) json(run.why(asked.get[Number]("element").intValue))
    else json(window(asked, result)(run.why(_, _, _)))
  }

  def ofStatic(message: Fields, result: DataFrame): Seq[java.util.Map[String, Any]] = {
    val asked = message("asked").only("row", "element", "columns", "key", "start", "end")
    val why   = new StaticWhy(result)
    if (asked.has("row")) json(why.ofRow(asked.get[Column]("row")))
    else if (asked.has("element")) json(why.ofRow(asked.frame("element"), asked.list[String]("columns")))
    else json(window(asked, result)(why.ofWindow))
  }

  def inCheckpoint(message: Fields): Seq[java.util.Map[String, Any]] = {
    val operator = message.optional[Number]("operator_id").map(_.longValue)
    json(new CheckpointWhy(message.frame("result"), message.text("checkpoint"), operator).of(message.frame("element")))
  }

  private def window(asked: Fields, result: DataFrame)(why: (Seq[Any], Long, Long) => Why): Why = {
    def bound(name: String) = asked.optional[Number](name).fold(0L)(_.longValue)
    if (!asked.has("start") && SideOutputs.nodeOf(result).program.plan.clock.nonEmpty)
      throw new IllegalArgumentException(
        "why is asked of a row, or of a window by its key and bounds, which are missing: sw.why(.., key=.., window=(start, end))"
      )
    why(keyOf(asked, result), bound("start"), bound("end"))
  }

  // The values of a key in the types of its columns.
  private def keyOf(asked: Fields, result: DataFrame): Seq[Any] =
    asked.optional[Column]("key").fold(Seq.empty[Any]) { key =>
      val types  = SideOutputs.nodeOf(result).program.output.keys.map(_.dataType)
      val values = result.sparkSession.range(1).select(key.as("key")).select("key.*")
      val cast   = values.columns.toSeq.zipWithIndex.map { case (name, i) =>
        if (i < types.size) col(name).cast(types(i)) else col(name)
      }
      val Row(cells @ _*) = values.select(cast: _*).head()
      cells
    }

  private def json(why: Why): Seq[java.util.Map[String, Any]] = Seq(
    Map[String, Any](
      "text"      -> why.toString,
      "time"      -> boxed(why.time),
      "watermark" -> boxed(why.watermark),
      "late"      -> why.late.orNull,
      "late_by"   -> boxed(why.lateBy),
      "windows"   -> why.windows.map(ofWindow).asJava
    ).asJava
  )

  private def ofWindow(of: Why.OfWindow): java.util.Map[String, Any] = Map[String, Any](
    "bounds"    -> bounds(of.window),
    "state"     -> of.state,
    "waits_for" -> of.waitsFor.orNull,
    "firings"   -> of.firings
      .map(f => Map[String, Any]("step" -> f.step, "timing" -> f.timing, "is_certain" -> f.isCertain).asJava)
      .asJava
  ).asJava

  private def bounds(window: Window): java.util.List[Long] = window match {
    case TimeWindow(start, end) => Seq(start, end).asJava
    case _                      => null
  }

  private def boxed(value: Option[Long]): Any = value.map(Long.box).orNull
}
