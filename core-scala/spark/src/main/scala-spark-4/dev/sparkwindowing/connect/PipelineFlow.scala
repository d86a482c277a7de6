package dev.sparkwindowing.connect

import dev.sparkwindowing.interop.{Answer, Answers, Beside, Message}
import dev.sparkwindowing.spark.advice.Face
import dev.sparkwindowing.spark.analysis.UnresolvedWindows
import dev.sparkwindowing.spark.plan.{EndlessTriggers, WindowNode}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.{Column, DataFrame, SparkSession, SparkWindowingBridge}

/** Windows in a flow of a Spark Declarative Pipeline.
  *
  * The pipeline looks through the plan of a flow for the datasets that it reads, and puts what these stand for in their
  * place. So the DataFrames of a message stay in the plan as they came, also those that Spark could already look up,
  * and the message is answered when all of them are resolved: while the pipeline analyzes the flow.
  */
private[connect] object PipelineFlow {

  /** The plan of what a message asks for.
    *
    * @throws java.lang.IllegalArgumentException
    *   when the pipeline analyzes the flow, as for a client; also for windows that fire by processing time alone
    */
  def planOf(message: Message, frames: Seq[LogicalPlan], columns: IndexedSeq[() => Column]): LogicalPlan =
    Face.Python.use(UnresolvedWindows.over(frames)(answer(message, columns)))

  private def answer(message: Message, columns: IndexedSeq[() => Column])(frames: Seq[DataFrame]): DataFrame = {
    val beside = new Beside.Frames(SparkSession.active, frames.toVector, columns, Vector())
    Answers.of(message, beside) match {
      case Answer.Frame(frame) =>
        SparkWindowingBridge.analyzedPlan(frame).foreach {
          case node: WindowNode if node.child.isStreaming => EndlessTriggers.refuseClockAlone(node.program.plan)
          case _                                          => ()
        }
        frame
      case _ => Message.refuse(s"asks '${message.ask}' in a pipeline, where it is no DataFrame")
    }
  }
}
