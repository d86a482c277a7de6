package dev.sparkwindowing.spark.checkpoint

import dev.sparkwindowing.declaration.{Difference, PartSpec, Spec}
import dev.sparkwindowing.spark.functions.ContentsFormat
import dev.sparkwindowing.spark.plan.{PortableTimers, PreAggregation, WatermarkTiming, WindowProgram}
import org.apache.spark.sql.types.StructType

/** Specification of a query: everything that its state depends on, as one tree that is equal at every start of the same
  * query, and the reason for its timing.
  */
private[sparkwindowing] object Specification {

  type Arguments = Seq[(String, Spec)]

  /** @param path
    *   pre-aggregation of the rows; it determines the contents of the state
    * @param timing
    *   the micro-batch in which windows fire: after a crash, a micro-batch must run again with the same one. Its reason
    *   is for errors
    * @param portable
    *   the timers of the portable operator, if that has the state
    */
  def of(
      program: WindowProgram,
      path: PreAggregation,
      timing: Option[WatermarkTiming],
      portable: Option[PortableTimers] = None
  ): PartSpec = PartSpec(
    "window operator",
    (declared(program) :+ ("kept" -> Spec.Text(kept(program, path)))) ++ keptRows(program, path) ++ triggerMemory(
      program
    ) ++
      states(program) ++ timing.map(t => Fires -> Spec.Text(t.text)) ++
      portable.map(timers => Operator -> Spec.Text(s"portable, with ${timers.text}"))
  )

  /** The specification as a checkpoint has it: without the reason for the timing, on which no state depends. */
  def written(spec: PartSpec): PartSpec = spec.copy(arguments = spec.arguments.map {
    case (Fires, Spec.Text(text)) => Fires -> Spec.Text(WatermarkTiming.withoutReason(text))
    case other                    => other
  })

  /** True if a difference is one of the reasons for the same timing. Checkpoints of early builds have reasons. */
  def isReason(difference: Difference): Boolean = difference match {
    case Difference(Seq(Fires), Some(Spec.Text(before)), Some(Spec.Text(after))) =>
      WatermarkTiming.withoutReason(before) == WatermarkTiming.withoutReason(after)
    case _ => false
  }

  /** True if the state is that of the portable operator. */
  def isPortable(spec: PartSpec): Boolean = spec.arguments.exists(_._1 == Operator)

  private val Fires = "fires"

  // Without it the state is that of the native operator.
  private val Operator = "operator"

  /** The declared part of the specification. */
  def declared(program: WindowProgram): Arguments = {
    import program._
    Seq(
      "assigner"         -> assigner.spec,
      "trigger"          -> trigger.spec,
      "evictor"          -> evictor.fold[Spec](Spec.Text("none"))(_.spec),
      "allowed lateness" -> Spec.Duration(allowedLateness)(mayGrow = over.isEmpty),
      "panes"            -> Spec.Text(if (output.pane) "remembered" else "none"),
      "keys"             -> Spec.Items(input.keyTexts.zip(input.keyTypes).map { case (k, t) =>
        Spec.Sql(k, Some(t.catalogString))
      }),
      "functions" -> Spec.Items(computation.specs),
      "buffer"    -> Spec.Text(computation.stateText)
    )
  }

  private def kept(program: WindowProgram, path: PreAggregation): String =
    if (program.over.isEmpty) path.kept
    else if (program.listsElements) "elements"
    else s"an aggregate for each event time${if (program.row.isEmpty) "" else ", and the elements"}"

  // Stored rows are read by position, with the types that the columns had when the rows were stored. Spark's bytes of a
  // row begin with one null word per 64 columns, so that further columns of a late side output can shift all others.
  private def keptRows(program: WindowProgram, path: PreAggregation): Arguments =
    if (program.keptContents != ContentsFormat.Rows && program.row.isEmpty) Nil
    else {
      val numbers = path match {
        case _: PreAggregation.RowByRow if program.seesOrder => 1
        case _                                               => 0
      }
      val words = (program.input.types.length + numbers + 63) / 64
      Seq("kept rows" -> Spec.Text(s"${text(readColumns(program))} of ${words * 64 - 63} to ${words * 64} columns"))
    }

  // Values in the trigger's state whose type is known, such as the row of a delta trigger.
  private def triggerMemory(program: WindowProgram): Arguments = {
    val values = TriggerFields(program.trigger.memory, readColumns(program)).values
    val typed  = values.filter(_.dataType.isInstanceOf[StructType])
    if (typed.isEmpty) Nil else Seq("trigger memory" -> Spec.Text(text(StructType(typed))))
  }

  private def states(program: WindowProgram): Arguments = {
    val states = program.computation.keptStates
    if (states.isEmpty) Nil else Seq("states" -> Spec.Text(text(states)))
  }

  // Without keys and event time, whose positions are fixed.
  private def readColumns(program: WindowProgram): StructType = {
    val input = program.input
    StructType(input.columns.take(input.readCount).zipWithIndex.collect {
      case (f, i) if i >= input.keyCount && i != input.timeOrdinal => f
    })
  }

  private def text(fields: StructType): String = fields.catalogString
}
