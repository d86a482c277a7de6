package dev.sparkwindowing.spark.checkpoint

import dev.sparkwindowing.declaration.{Difference, PartSpec, Spec}
import dev.sparkwindowing.operator.KeyedPlan
import dev.sparkwindowing.spark.computations.ContentsFormat
import dev.sparkwindowing.spark.links.OperatorSetting
import dev.sparkwindowing.spark.plan.{PreAggregation, WatermarkTiming, WindowProgram}
import org.apache.spark.sql.types.StructType

/** Specification of a query: everything that its state depends on.
  *
  * @param tree
  *   what a checkpoint stores: equal at every start of the same query. What is not declared by the user is a code,
  *   which never changes; no text for people is in it
  * @param reasons
  *   why some of its arguments are what they are, for errors
  */
private[sparkwindowing] final case class Specification(tree: PartSpec, reasons: Map[String, String]) {

  /** A difference of another query's specification to this one, with the reason where there is one. */
  def explained(difference: Difference): String =
    s"$difference${difference.path.headOption.flatMap(reasons.get).fold("")(why => s" ($why)")}"
}

private[sparkwindowing] object Specification {

  type Arguments = Seq[(String, Spec)]

  /** @param path
    *   pre-aggregation of the rows; it determines the contents of the state
    * @param timing
    *   the micro-batch in which windows fire: after a crash, a micro-batch must run again with the same one
    * @param operator
    *   what it says of the operator that has the state; nothing if that is the native one
    */
  def of(
      program: WindowProgram,
      path: PreAggregation,
      timing: Option[WatermarkTiming],
      operator: Arguments = Nil
  ): Specification = Specification(
    PartSpec(
      "window operator",
      declared(program) ++ stored(program, path) ++ timing.map(t => Fires -> Spec.Text(t.code)) ++ operator
    ),
    Map(KeptColumns -> "Spark lays rows out by so many columns") ++ reasonOfLateness(program) ++ timing.map(t =>
      Fires -> t.text
    ) ++
      reasonOfKept(program, path)
  )

  private def reasonOfLateness(program: WindowProgram): Option[(String, String)] =
    if (program.output.changelog.nonEmpty)
      Some("allowed lateness" -> "a change stream cannot begin a window anew that was cleaned up")
    else if (program.plan.emptyWindows.nonEmpty)
      Some("allowed lateness" -> "a window that was cleaned up would fire as one that never had a row")
    else None

  // Pre-aggregation decides between windows and slices alone.
  private def reasonOfKept(program: WindowProgram, path: PreAggregation): Option[(String, String)] =
    program.plan match {
      case _: KeyedPlan.Windows[_] => Some(Kept -> path.text)
      case _                       => None
    }

  /** Name of the operator that has the state. */
  def operatorOf(tree: PartSpec): String =
    tree.arguments.collectFirst { case (Operator, Spec.Text(name)) => name }.getOrElse(OperatorSetting.Native)

  /** Argument with the name of an operator. Without it the state is that of the native one. */
  val Operator = "operator"

  val Functions = "functions"
  val Buffer    = "buffer"

  /** Arguments that say what aggregates are computed, and what is stored for them. */
  val OfFunctions: Set[String] = Set(Functions, Buffer)

  private val KeptColumns = "columns of kept rows"

  private val Kept = "kept"

  /** Argument with the micro-batch in which windows fire. */
  val Fires = "fires"

  /** The declared part of the specification. */
  def declared(program: WindowProgram): Arguments = {
    import program._
    plan.arguments.map(argument(program)) ++ Seq(
      "keys" -> Spec.Items(input.keyTexts.zip(input.keyTypes).map { case (k, t) =>
        Spec.Sql(k, Some(t.catalogString))
      }),
      Functions -> ofContents(program, Spec.Items(computation.specs)),
      Buffer    -> ofContents(program, Spec.Text(computation.stateText))
    )
  }

  // With a longer lateness a window that was cleaned up could begin anew, and the sequence of its changes, too.
  private def argument(program: WindowProgram)(named: (String, Spec)): (String, Spec) = named match {
    case (name, Spec.Duration(lateness)) if reasonOfLateness(program).nonEmpty => name -> Spec.millis(lateness)
    case other                                                                 => other
  }

  // Where rows are kept, a function is called with them at a firing, whichever it is.
  private def ofContents(program: WindowProgram, value: Spec): Spec =
    if (program.keptContents == ContentsFormat.Rows) Spec.Free(value) else value

  /** The part of the specification that says what the state holds. */
  def stored(program: WindowProgram, path: PreAggregation): Arguments =
    (Kept -> Spec.Text(path.over(program.plan).code)) +:
      (keptRows(program, path) ++ triggerMemory(program) ++ states(program) ++ lastRow(program))

  // Stored rows are read by position, with the types that the columns had when the rows were stored. Spark's bytes of a
  // row begin with one null word per 64 columns, so that further columns of a late side output can shift all others.
  private def keptRows(program: WindowProgram, path: PreAggregation): Arguments =
    if (program.keptContents != ContentsFormat.Rows && program.row.isEmpty) Nil
    else {
      val numbers = path match {
        case _: PreAggregation.RowByRow if program.plan.needsOrder => 1
        case _                                                     => 0
      }
      val words = (program.input.types.length + numbers + 63) / 64
      Seq("kept rows" -> Spec.Text(text(readColumns(program))), KeptColumns -> Spec.Count(words * 64L))
    }

  // Values in the trigger's state whose type is known, such as the row of a delta trigger.
  private def triggerMemory(program: WindowProgram): Arguments = {
    val values = TriggerFields(program.plan.memory, readColumns(program)).values
    val typed  = values.filter(_.dataType.isInstanceOf[StructType])
    if (typed.isEmpty) Nil else Seq("trigger memory" -> Spec.Text(text(StructType(typed))))
  }

  private def states(program: WindowProgram): Arguments = {
    val states = program.computation.keptStates
    if (states.isEmpty) Nil else Seq("states" -> Spec.Text(text(states)))
  }

  private def lastRow(program: WindowProgram): Arguments =
    program.lastRow.map(f => "last row" -> Spec.Text(f.dataType.catalogString))

  // Without keys and event time, whose positions are fixed.
  private def readColumns(program: WindowProgram): StructType = {
    val input = program.input
    StructType(input.columns.take(input.readCount).zipWithIndex.collect {
      case (f, i) if i >= input.keyCount && i != input.timeOrdinal => f
    })
  }

  private def text(fields: StructType): String = fields.catalogString
}
