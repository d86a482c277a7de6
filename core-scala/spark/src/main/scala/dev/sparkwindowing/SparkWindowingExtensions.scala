package dev.sparkwindowing

import dev.sparkwindowing.spark.SparkLine
import dev.sparkwindowing.spark.operators.{CheckpointCheck, WatermarkRule, WindowStrategy}
import dev.sparkwindowing.spark.plan.RealTimeCheck
import dev.sparkwindowing.spark.relocated.Relocated
import dev.sparkwindowing.sql.{SqlFunctions, WindowCall}
import org.apache.spark.sql.{DataFrame, SparkSessionExtensions}

/** Session extensions for `spark.sql.extensions`: the session plans windows from its start, has their table functions,
  * and refuses a real-time trigger and compares a query with its checkpoint before `start()` returns.
  */
final class SparkWindowingExtensions extends (SparkSessionExtensions => Unit) {
  def apply(extensions: SparkSessionExtensions): Unit = {
    SparkLine.check()
    Relocated.addFirstRule(extensions, RealTimeCheck)
    extensions.injectPreCBORule(_ => WatermarkRule)
    extensions.injectPlannerStrategy(_ => WindowStrategy)
    extensions.injectCheckRule(session => plan => CheckpointCheck.ofStart(session, plan))
    SparkWindowingExtensions.tableFunctions.foreach(extensions.injectTableFunction)
  }
}

private[sparkwindowing] object SparkWindowingExtensions {

  val tableFunctions: Seq[SqlFunctions.Registered] = SqlFunctions.all(windows)

  private def windows(call: WindowCall): DataFrame = {
    val declared = KeyedStream
      .of(call.rows, call.keys, Some(call.time), "late")
      .window(call.assigner)
      .allowedLateness(call.allowedLateness)
    (if (call.withPane) declared.withPane() else declared).aggregate(call.aggregates: _*)
  }
}
