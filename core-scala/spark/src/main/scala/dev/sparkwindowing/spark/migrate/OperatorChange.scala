package dev.sparkwindowing.spark.migrate

import dev.sparkwindowing.declaration.{Difference, PartSpec}
import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.checkpoint.{Changes, Specification}
import dev.sparkwindowing.spark.links.OperatorSetting
import dev.sparkwindowing.spark.operators.SessionOperator
import dev.sparkwindowing.spark.plan.WindowNode
import dev.sparkwindowing.spark.portable.PortableState
import dev.sparkwindowing.state.KeyStateReader.StateKind
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Change of the state of an operator.
  *
  * @param tree
  *   the specification that the new state has
  * @param buffer
  *   None if windows stay as they are
  * @param fingerprint
  *   of the new specification, in the state of the portable operator
  */
private[migrate] final case class OperatorChange(
    tree: PartSpec,
    kept: StateKind,
    buffer: Option[BufferChange],
    fingerprint: Option[Long],
    isSame: Boolean
)

private[migrate] object OperatorChange {

  /** @param before
    *   the specification that the state was written with
    * @throws java.lang.IllegalArgumentException
    *   if there is no state of the node that would be right, or another call is the one for it
    */
  def of(before: PartSpec, node: WindowNode, query: LogicalPlan): OperatorChange = {
    val operator = SessionOperator.of(node)
    val path     = operator.path(node)
    val wanted   = Specification.of(node.program, path, operator.timing(node, query), operator.specified(node))
    val isOther  = Specification.operatorOf(before) != Specification.operatorOf(wanted.tree)
    if (isOther)
      throw new IllegalArgumentException(
        s"the state was written by the ${Specification.operatorOf(before)} window operator: " +
          s"""spark.conf.set("${OperatorSetting.Name}", "${Specification.operatorOf(before)}") before this call"""
      )
    val ofBuffer = Difference.between(before, wanted.tree).exists(d => isOfBuffer(d) && !d.isFree)
    val buffer   = if (ofBuffer) BufferChange.between(before, wanted.tree, node.program) else None
    // The micro-batch that fires windows matters only to one that is run again, and there is none.
    val taken   = if (buffer.isEmpty) Set(Specification.Fires) else Specification.OfFunctions + Specification.Fires
    val changed = withArguments(before, wanted.tree)(taken)
    val changes = Changes.between(changed, wanted.tree)
    refuse(changes, wanted, node)
    // Those that move timers take effect when the query starts.
    val later = changes.safe.filterNot(_.isFree).flatMap(_.path.headOption).toSet
    OperatorChange(
      withArguments(wanted.tree, before)(later),
      path.over(node.program.plan).stateKind,
      buffer,
      if (isPortable(wanted.tree))
        Some(PortableState.fingerprint(Specification.of(node.program, path, None, operator.specified(node)).tree))
      else None,
      isSame = buffer.isEmpty && changes.isEmpty
    )
  }

  private def isOfBuffer(d: Difference) = d.path.headOption.exists(Specification.OfFunctions)

  private def isPortable(tree: PartSpec) = Specification.operatorOf(tree) == OperatorSetting.Portable

  private def withArguments(tree: PartSpec, other: PartSpec)(names: Set[String]): PartSpec = {
    val (others, own) = (other.arguments.toMap, tree.arguments.map(_._1).toSet)
    tree.copy(arguments = tree.arguments.flatMap {
      case (name, _) if names(name) => others.get(name).map(name -> _)
      case same                     => Some(same)
    } ++ other.arguments.filter { case (name, _) => names(name) && !own(name) })
  }

  private def refuse(changes: Changes, wanted: Specification, node: WindowNode): Unit = {
    def show(differences: Seq[Difference]) = differences.map(wanted.explained).mkString("; ")
    if (changes.unsafe.nonEmpty)
      throw new IllegalArgumentException(
        s"no state of the old query is right for this one. Changed: ${show(changes.unsafe)}. Change it back, or start with a " +
          s"new checkpointLocation, if need be with rows of a table: ${Code.name("starting_with")}"
      )
    val moved = changes.safe.filterNot(_.isFree)
    if (moved.nonEmpty && isPortable(wanted.tree))
      throw new IllegalArgumentException(
        s"the portable operator cannot take over timers of another query. Changed: ${show(moved)}. Change it back"
      )
    if (moved.nonEmpty && !node.program.allowsStateChange)
      throw new IllegalArgumentException(
        s"timers of open windows are other ones, which the first start must be allowed to move. Changed: ${show(moved)}. Add " +
          s"${Code.call(".allow_state_change")} to the query after ${Code.name("key_by")}(..).window(..) for this call and that start"
      )
  }
}
