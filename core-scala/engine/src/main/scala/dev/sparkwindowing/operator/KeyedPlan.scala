package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.{CountWindows, NamedWindows, OverEventTimeWindows, WindowAssigner}
import dev.sparkwindowing.contents.{CopyableContents, WindowContents}
import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.evictors.Evictor
import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.state.KeyStateReader.StateKind
import dev.sparkwindowing.triggers.{EventTimeTrigger, Trigger, TriggerMemory}
import dev.sparkwindowing.windows.SliceGrid

/** Plan for the elements of a key: the operator, the kind of its state, what it stores of the elements, and whether
  * their order matters. It is made once, from a declaration; tasks, layouts and readers of the state ask it.
  */
sealed trait KeyedPlan[E] extends Product with Serializable {

  /** Kind of state of a key. */
  def stateKind: StateKind

  /** Storage of the elements. */
  def stored: Stored

  /** State of a window beside its contents: that of the trigger, then that of sessions that elements can end. */
  def memory: TriggerMemory

  /** True if the order of a key's elements affects the results. */
  def needsOrder: Boolean

  /** Milliseconds that a window lives after the watermark passes its end. */
  def allowedLateness: Long

  /** Clock by which windows end; None if they do not end, and without windows. */
  def clock: Option[TimeDomain]

  /** True if windows or their trigger set timers of a clock. */
  def setsTimers(clock: TimeDomain): Boolean

  /** The rule of windows without elements, None if they do not fire. */
  def emptyWindows: Option[EmptyWindows] = None

  /** True if windows fire at the end of a micro-batch. */
  def firesByMicroBatch: Boolean = false

  /** True if elements need an event time. */
  final def isEventTime: Boolean = clock.contains(TimeDomain.EventTime)

  /** The declared parts as data. */
  def arguments: Seq[(String, Spec)]

  /** Name in checkpoints, which never changes. */
  def code: String
}

object KeyedPlan {

  /** Argument with the time for which windows without elements fire. */
  val EmptyWindowsName = "empty windows"

  /** The plan of declared windows.
    *
    * @param panes
    *   whether firings are counted and stored
    * @param showsElement
    *   whether results of over windows have their element
    * @param mergesInAnyOrder
    *   whether the contents of the computation can be merged in any order, as `CopyableContents`
    * @param isOrderInsensitive
    *   whether the results of the computation are the same for any order of elements
    * @param fillEmpty
    *   milliseconds for which windows without elements fire after one with some; None if they do not
    * @throws java.lang.IllegalArgumentException
    *   as [[OperatorRules.check]] and [[EmptyWindows.of]]
    * @throws java.lang.UnsupportedOperationException
    *   if the parts do not fit together, as these and [[OperatorRules.checkEvictor]]
    */
  def of[E](
      assigner: WindowAssigner[E],
      trigger: Trigger[E],
      evictor: Option[Evictor[E]],
      allowedLateness: Long,
      panes: Boolean,
      showsElement: Boolean,
      mergesInAnyOrder: Boolean,
      isOrderInsensitive: Boolean,
      fillEmpty: Option[Long] = None
  ): Windowed[E] = {
    OperatorRules.check(assigner, trigger, allowedLateness)
    fillEmpty.foreach(EmptyWindows.check(assigner, _))
    def emptyWindows = fillEmpty.map(EmptyWindows.of(assigner, _))
    evictor.foreach(OperatorRules.checkEvictor(assigner, _))
    val needsOrder = !isOrderInsensitive || trigger.needsEachElement(allowedLateness)
    (assigner: Any) match {
      case over: OverEventTimeWindows =>
        Over(
          over,
          allowedLateness,
          panes,
          showsElement,
          mergesInAnyOrder,
          needsOrder || over.countsRows || showsElement
        )
      case named: NamedWindows =>
        ofNames(named, trigger, evictor) { windows =>
          of(
            windows,
            triggerOf(windows, trigger),
            evictor,
            allowedLateness,
            panes,
            showsElement,
            mergesInAnyOrder,
            isOrderInsensitive,
            fillEmpty
          )
        } { windows =>
          val isPlain = allowedLateness == 0 && evictor.isEmpty && fillEmpty.isEmpty && mergesInAnyOrder
          if (isPlain && trigger.isInstanceOf[EventTimeTrigger]) Some(SharedSlices(windows, trigger, panes, needsOrder))
          else None
        }
      // In sessions order matters: an element whose own session is late is accepted if it merges with a session of
      // earlier elements.
      case _ =>
        val ordered = needsOrder || evictor.nonEmpty || assigner.isMerging
        Windows(assigner, trigger, evictor, allowedLateness, panes, ordered, emptyWindows)
    }
  }

  // Count windows have their own trigger beside others, for which one is declared.
  private def triggerOf[E](windows: WindowAssigner[E], declared: Trigger[E]): Trigger[E] = (windows: Any) match {
    case counts: CountWindows => counts.defaultTrigger
    case _                    => declared
  }

  // The windows of grids that can share slices as one section, and each other name with its own plan.
  private def ofNames[E](named: NamedWindows, trigger: Trigger[E], evictor: Option[Evictor[E]])(
      alone: WindowAssigner[E] => Windowed[E]
  )(shared: NamedWindows => Option[Windowed[E]]): Windowed[E] = {
    val (grids, others) = named.assigners.partition(_._2.slices.nonEmpty)
    val together        = if (grids.isEmpty) None else shared(NamedWindows.of(grids: _*)).map(grids.map(_._1) -> _)
    val each            = (if (together.isEmpty) named.assigners else others).map { case (name, windows) =>
      Seq(name) -> alone(windows)
    }
    (together.toSeq ++ each) match {
      case Seq((_, all: SharedSlices[E])) => all
      case sections                       => Sections(named, trigger, evictor, sections)
    }
  }

  /** Plan with windows. */
  sealed trait Windowed[E] extends KeyedPlan[E] {

    def assigner: WindowAssigner[E]
    def trigger: Trigger[E]
    def evictor: Option[Evictor[E]]

    /** True if firings are counted and stored. */
    def panes: Boolean

    def memory: TriggerMemory                  = OperatorRules.memoryOf(assigner, trigger)
    def clock: Option[TimeDomain]              = assigner.clock
    def setsTimers(clock: TimeDomain): Boolean = this.clock.contains(clock) || trigger.setsTimers(clock)
    override def firesByMicroBatch: Boolean    = trigger.firesByMicroBatch

    final def arguments: Seq[(String, Spec)] = Seq(
      "assigner"         -> assigner.spec,
      "trigger"          -> trigger.spec,
      "evictor"          -> evictor.fold[Spec](Spec.Text("none"))(_.spec),
      "allowed lateness" -> Spec.Duration(allowedLateness)(mayGrow = latenessMayGrow),
      "panes"            -> Spec.Free(Spec.Flag(panes)),
      EmptyWindowsName   -> Spec.Free(
        emptyWindows.fold[Spec](Spec.Text("none"))(rule => Spec.millis(rule.forAtMost)),
        default = Some(Spec.Text("none"))
      )
    )

    /** True if state that was written with a shorter allowed lateness can be taken over. */
    protected def latenessMayGrow: Boolean = true

    /** The operator, for one task. */
    def operator[C <: AnyRef](host: WindowHost[E, C]): KeyedOperator[E]
  }

  /** Windows in the state, by a [[WindowOperator]]. */
  final case class Windows[E](
      assigner: WindowAssigner[E],
      trigger: Trigger[E],
      evictor: Option[Evictor[E]],
      allowedLateness: Long,
      panes: Boolean,
      needsOrder: Boolean,
      override val emptyWindows: Option[EmptyWindows] = None
  ) extends Windowed[E] {

    def stateKind: StateKind = if (assigner.isMerging) StateKind.Sessions else StateKind.Windows
    def stored: Stored       = if (evictor.isDefined) Stored.Elements else Stored.Contents
    def code: String         = "windows"

    def operator[C <: AnyRef](host: WindowHost[E, C]): KeyedOperator[E] = evictor match {
      case None    => over(OperatorRules(assigner, trigger, allowedLateness, host.contents), host.output)
      case Some(e) =>
        over(OperatorRules.evicting(assigner, trigger, e, allowedLateness, host.elements), host.outputOfElements)
    }

    private def over[C <: AnyRef](rules: OperatorRules[E, C], output: WindowOutput[E, C]): KeyedOperator[E] =
      new WindowOperator(withOptions(rules), output)

    private def withOptions[C <: AnyRef](rules: OperatorRules[E, C]): OperatorRules[E, C] = {
      val filled = emptyWindows.fold(rules)(rules.withEmptyWindows)
      if (panes) filled.withPanes else filled
    }
  }

  /** Slices of the windows in the state, by a [[SlicedOperator]].
    *
    * @param windows
    *   event-time windows that fire once, at their end
    */
  final case class Slices[E](windows: Windows[E], grid: SliceGrid) extends Windowed[E] {
    def assigner: WindowAssigner[E] = windows.assigner
    def trigger: Trigger[E]         = windows.trigger
    def evictor: Option[Evictor[E]] = windows.evictor
    def panes: Boolean              = windows.panes

    override def emptyWindows: Option[EmptyWindows] = windows.emptyWindows

    def stateKind: StateKind  = StateKind.Slices(Seq(grid))
    def stored: Stored        = windows.stored
    def needsOrder: Boolean   = windows.needsOrder
    def allowedLateness: Long = windows.allowedLateness
    def code: String          = "slices"

    def operator[C <: AnyRef](host: WindowHost[E, C]): KeyedOperator[E] =
      new SlicedOperator(grid, mergeable(host.contents), host.output, emptyWindows.orNull)
  }

  /** Slices that the windows of several grids share in the state, by a [[SharedSlicesOperator]].
    *
    * @param windows
    *   event-time windows that fire once, at their end
    */
  final case class SharedSlices[E](windows: NamedWindows, trigger: Trigger[E], panes: Boolean, needsOrder: Boolean)
      extends Windowed[E] {
    def assigner: WindowAssigner[E] = windows
    def evictor: Option[Evictor[E]] = None

    def stateKind: StateKind  = StateKind.Slices(windows.grids)
    def stored: Stored        = Stored.Contents
    def allowedLateness: Long = 0L
    def code: String          = "shared slices"

    def operator[C <: AnyRef](host: WindowHost[E, C]): KeyedOperator[E] =
      new SharedSlicesOperator(windows.grids, mergeable(host.contents), windows.names.map(host.outputOf))
  }

  /** Windows of several names, each with a section of the state, by a [[SectionsOperator]].
    *
    * @param sections
    *   the names and the plan of each section: those of grids that can share slices have one, all others their own
    */
  final case class Sections[E](
      windows: NamedWindows,
      trigger: Trigger[E],
      evictor: Option[Evictor[E]],
      sections: Seq[(Seq[String], Windowed[E])]
  ) extends Windowed[E] {
    private[this] val plans = sections.map(_._2)

    def assigner: WindowAssigner[E] = windows

    override def memory: TriggerMemory                  = plans.map(_.memory).reduce(_ or _)
    override def setsTimers(clock: TimeDomain): Boolean = plans.exists(_.setsTimers(clock))
    override def emptyWindows: Option[EmptyWindows]     = plans.flatMap(_.emptyWindows).headOption
    protected override def latenessMayGrow: Boolean     = plans.forall(!_.isInstanceOf[SharedSlices[_]])
    def stateKind: StateKind                            = StateKind.Sections(sections.map { case (names, plan) =>
      names.mkString(", ") -> plan.stateKind
    })
    def stored: Stored        = plans.head.stored
    def allowedLateness: Long = plans.map(_.allowedLateness).max
    def panes: Boolean        = plans.head.panes
    def needsOrder: Boolean   = plans.exists(_.needsOrder)
    def code: String          = plans.map(_.code).mkString("sections: ", ", ", "")

    def operator[C <: AnyRef](host: WindowHost[E, C]): KeyedOperator[E] =
      new SectionsOperator(sections.toIndexedSeq.map { case (names, plan) =>
        plan.operator(new NamedHost(host, names.head))
      })
  }

  /** Over windows, by an [[OverOperator]].
    *
    * @param showsElement
    *   whether the element of a window is stored with it, for its result
    * @param merges
    *   whether windows are merged from contents, else they are lists of elements
    */
  final case class Over[E](
      windows: OverEventTimeWindows,
      allowedLateness: Long,
      panes: Boolean,
      showsElement: Boolean,
      merges: Boolean,
      needsOrder: Boolean
  ) extends Windowed[E] {

    def assigner: WindowAssigner[E] = windows
    def trigger: Trigger[E]         = windows.defaultTrigger
    def evictor: Option[Evictor[E]] = None

    def stateKind: StateKind = StateKind.Timestamps(if (windows.countsRows) None else Some(windows.length))

    def stored: Stored =
      if (windows.countsRows || !merges) Stored.Elements
      else if (showsElement) Stored.ContentsAndElements
      else Stored.Contents

    def code: String = s"${stored.code} by timestamp"

    protected override def latenessMayGrow: Boolean = false

    def operator[C <: AnyRef](host: WindowHost[E, C]): KeyedOperator[E] =
      if (!merges) {
        val output = new FoldedOutput(host.contents, host.output)
        OverOperator.listing(windows, allowedLateness, host.elements, panes, output)
      } else {
        val elements = if (windows.countsRows || showsElement) Some(host.elements) else None
        OverOperator.merging(windows, allowedLateness, mergeable(host.contents), elements, panes, host.output)
      }
  }

  /** Elements and timers without windows, by a [[ProcessOperator]]. */
  final case class Process[E]() extends KeyedPlan[E] {
    def stateKind: StateKind                   = StateKind.NoWindows
    def stored: Stored                         = Stored.Nothing
    def memory: TriggerMemory                  = TriggerMemory.None
    def needsOrder: Boolean                    = true
    def allowedLateness: Long                  = 0L
    def clock: Option[TimeDomain]              = None
    def setsTimers(clock: TimeDomain): Boolean = false
    def arguments: Seq[(String, Spec)]         = Nil
    def code: String                           = "process"
  }

  private def mergeable[E, C <: AnyRef](contents: WindowContents[E, C]): CopyableContents[E, C] = contents match {
    case c: CopyableContents[E @unchecked, C @unchecked] => c
    case other => throw new IllegalStateException(s"$other cannot be merged in any order")
  }
}
