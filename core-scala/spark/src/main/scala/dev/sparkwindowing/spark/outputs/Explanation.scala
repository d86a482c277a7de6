package dev.sparkwindowing.spark.outputs

import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.operator.{KeyedPlan, Stored}
import dev.sparkwindowing.spark.checkpoint.Specification
import dev.sparkwindowing.spark.operators.SessionOperator
import dev.sparkwindowing.spark.plan.{PreAggregation, RealTimeMode, WindowNode}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.{DataFrame, SparkWindowingBridge}

/** Text that describes how a result is computed, and why so. No checkpoint depends on its words. */
private[sparkwindowing] object Explanation {

  def of(result: DataFrame): String = SparkWindowingBridge.within(result.sparkSession) {
    val node     = SideOutputs.nodeOf(result)
    val operator = SessionOperator.of(node)
    val path     = operator.path(node)
    val timing   = operator.timing(node, SparkWindowingBridge.analyzedPlan(result))
    val declared = Specification.declared(node.program) ++ Specification.stored(node.program, path)
    val lines    = declared.filter(_._2.isWritten).map { case (name, value) =>
      name -> textOf(name, value, path.over(node.program.plan))
    } ++
      timing.map("fires" -> _.text) ++
      Seq("operator" -> operator.text) ++ realTime(result, node) ++ operator.state(node).map("state" -> _) ++
      Seq("rows" -> orderOf(node), "path" -> path.text)
    lines.map { case (name, value) => s"$name: $value" }.mkString("\n")
  }

  private def realTime(result: DataFrame, node: WindowNode): Option[(String, String)] =
    if (!node.child.isStreaming || !RealTimeMode.isAllowed) None
    else {
      val wait = result.sparkSession.sparkContext.getConf.getOption(RealTimeMode.BufferSetting)
      Some("real-time mode" -> RealTimeMode.ofSession.text(wait))
    }

  private def textOf(name: String, value: Spec, plan: KeyedPlan[InternalRow]): String = (name, value) match {
    case ("panes", Spec.Free(Spec.Flag(panes), _)) => if (panes) "remembered" else "none"
    case (KeyedPlan.EmptyWindowsName, time)        => s"fire for $time after the last one with rows"
    case ("kept", _)                               => storedBy(plan)
    case _                                         => value.toString
  }

  private def storedBy(plan: KeyedPlan[InternalRow]): String = plan match {
    case _: KeyedPlan.Windows[_]           => "windows"
    case _: KeyedPlan.Slices[_]            => s"slices of windows, since ${PreAggregation.Setting} is true"
    case shared: KeyedPlan.SharedSlices[_] => s"slices that the windows of ${shared.windows.names.mkString(", ")} share"
    case KeyedPlan.Sections(_, _, _, all)  =>
      all.map { case (names, p) => s"of ${names.mkString(", ")} ${storedBy(p)}" }.mkString("; ")
    case _: KeyedPlan.Process[_] => "state and timers of the key"
    case over: KeyedPlan.Over[_] =>
      over.stored match {
        case Stored.Contents            => "an aggregate for each event time"
        case Stored.ContentsAndElements => "an aggregate for each event time, and the elements"
        case _                          => "elements"
      }
  }

  private def orderOf(node: WindowNode): String =
    if (!node.program.plan.needsOrder) "taken as they come"
    else if (node.child.isStreaming) "numbered before the exchange, taken in order of arrival"
    else "numbered before the exchange, taken in order of event time, then of arrival"
}
