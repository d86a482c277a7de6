package dev.sparkwindowing

import dev.sparkwindowing.spark.SparkLine
import dev.sparkwindowing.spark.checkpoint.CheckpointCheck
import dev.sparkwindowing.spark.exec.WindowStrategy
import dev.sparkwindowing.spark.plan.{RealTimeCheck, WatermarkRule}
import dev.sparkwindowing.spark.relocated.Relocated
import dev.sparkwindowing.sql.SqlFunctions
import org.apache.spark.sql.SparkSessionExtensions

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
    SqlFunctions.all.foreach(extensions.injectTableFunction)
  }
}
