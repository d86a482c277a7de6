package dev.sparkwindowing.columns

import dev.sparkwindowing.Parts
import dev.sparkwindowing.assigners.{MergingWindowAssigner, WindowAssigner, WindowCollector}
import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}
import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.evictors.{Evictor, EvictorContext}
import dev.sparkwindowing.functions.{AggregateFunction, ReduceFunction}
import dev.sparkwindowing.spark.functions.PartFailure
import dev.sparkwindowing.spark.plan.PartText
import dev.sparkwindowing.triggers._
import dev.sparkwindowing.windows.Window
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import java.lang.reflect.InvocationTargetException

/** Assigners, triggers and evictors that users write on `Row`: an element is a row of the input, with its columns.
  *
  * A part that does not look at the element (a trigger on `Any`) needs none of this. Give a part a `toString` that says
  * its arguments: a checkpoint remembers it, and a query with another one is refused. Of a part without one it
  * remembers the class and the values of its fields.
  */
object RowParts {

  def assigner(assigner: WindowAssigner[Row]): WindowAssigner[InternalRow] =
    assignerOf(assigner, PartText.of(assigner))

  def trigger(trigger: Trigger[Row]): Trigger[InternalRow] = new RowTrigger(trigger, PartText.of(trigger), None)

  def evictor(evictor: Evictor[Row]): Evictor[InternalRow] = new RowEvictor(evictor, PartText.of(evictor), None)

  private def assignerOf(assigner: WindowAssigner[Row], text: String): WindowAssigner[InternalRow] = assigner match {
    case merging: MergingWindowAssigner[Row] => new MergingRowAssigner(merging, text, None)
    case other                               => new RowAssigner(other, text, None)
  }

  /** The part or function that the constructor of a class makes, for callers that have no Scala. A checkpoint remembers
    * the class and the arguments.
    *
    * @throws java.lang.IllegalArgumentException
    *   if there is no such class or constructor, or it makes no assigner, trigger, evictor or function
    */
  def make(className: String, args: java.util.List[Object]): Object = {
    val text = PartText.ofCall(className, args.toArray.toSeq)
    instance(loaded(className), args.toArray.toSeq) match {
      case a: WindowAssigner[_]        => assignerOf(a.asInstanceOf[WindowAssigner[Row]], text)
      case t: Trigger[_]               => new RowTrigger(t.asInstanceOf[Trigger[Row]], text, None)
      case e: Evictor[_]               => new RowEvictor(e.asInstanceOf[Evictor[Row]], text, None)
      case function: AggregateFunction => new NamedAggregate(function, text)
      case function: ReduceFunction    => new NamedReduce(function, text)
      case other                       => other
    }
  }

  private val Kinds = Seq(
    classOf[WindowAssigner[_]],
    classOf[Trigger[_]],
    classOf[Evictor[_]],
    classOf[AggregateFunction],
    classOf[ReduceFunction]
  )

  // Nothing of a class runs, not even its static initialiser, before it is known to be a part of a window.
  private def loaded(className: String): Class[_] = {
    val found =
      try Class.forName(className, false, Thread.currentThread().getContextClassLoader)
      catch {
        case _: ClassNotFoundException =>
          throw new IllegalArgumentException(
            s"there is no class $className: hand its jar to Spark, .config(\"spark.jars\", \"/path/to/your.jar\")"
          )
        case _: NoClassDefFoundError =>
          throw new IllegalArgumentException(
            s"$className was loaded before the jar of spark-windowing was there: give both to a new session, " +
              "sw.configure(SparkSession.builder.config(\"spark.jars\", \"/path/to/your.jar\")).getOrCreate()"
          )
      }
    if (!Kinds.exists(_.isAssignableFrom(found)))
      throw new IllegalArgumentException(
        s"$className is no ${Kinds.map(_.getSimpleName).mkString(", ").replace(", Reduce", " or Reduce")} of dev.sparkwindowing"
      )
    found
  }

  private def instance(found: Class[_], args: Seq[Object]): Object = {
    val constructor = found.getConstructors.find(_.getParameterCount == args.size).getOrElse {
      throw new IllegalArgumentException(s"${found.getName} has no public constructor with ${args.size} arguments")
    }
    try constructor.newInstance(Parts.fit(constructor.getParameterTypes.toSeq, args): _*).asInstanceOf[Object]
    catch {
      case e: InvocationTargetException => throw e.getCause
    }
  }

  private def viewed(view: Option[RowView], row: InternalRow): Row =
    view.getOrElse(throw new IllegalStateException("the part is not bound to a query"))(row)

  private[columns] class RowAssigner(user: WindowAssigner[Row], text: String, view: Option[RowView])
      extends WindowAssigner[InternalRow]
      with ColumnPart[WindowAssigner[InternalRow]] {

    private[columns] def bind(binder: ColumnBinder): WindowAssigner[InternalRow] =
      new RowAssigner(user, text, Some(binder.rowView))

    def assignWindows(row: InternalRow, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit =
      PartFailure.named(s"$text.assignWindows") {
        user.assignWindows(viewed(view, row), timestamp, processingTime, windows)
      }

    def defaultTrigger: Trigger[Any] = user.defaultTrigger
    def isEventTime: Boolean         = user.isEventTime
    override def toString: String    = text
  }

  private[columns] final class MergingRowAssigner(user: WindowAssigner[Row], text: String, view: Option[RowView])
      extends RowAssigner(user, text, view)
      with MergingWindowAssigner[InternalRow] {

    private[columns] override def bind(binder: ColumnBinder): WindowAssigner[InternalRow] =
      new MergingRowAssigner(user, text, Some(binder.rowView))
  }

  private[columns] final class RowTrigger(user: Trigger[Row], text: String, view: Option[RowView])
      extends Trigger[InternalRow]
      with ColumnPart[Trigger[InternalRow]] {

    private[columns] def bind(binder: ColumnBinder): Trigger[InternalRow] =
      new RowTrigger(user, text, Some(binder.rowView))

    def onElement(row: InternalRow, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult =
      named("onElement")(user.onElement(viewed(view, row), timestamp, window, ctx))

    def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
      named("onEventTime")(user.onEventTime(time, window, ctx))

    def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
      named("onProcessingTime")(user.onProcessingTime(time, window, ctx))

    private[this] def named[T](method: String)(call: => T): T = PartFailure.named(s"$text.$method")(call)

    override def canMerge: Boolean                                  = user.canMerge
    override def onMerge(window: Window, ctx: OnMergeContext): Unit = named("onMerge")(user.onMerge(window, ctx))
    def clear(window: Window, ctx: TriggerContext): Unit            = named("clear")(user.clear(window, ctx))
    override def numbers: Int                                       = user.numbers
    override def values: IndexedSeq[ValueCodec[_ <: AnyRef]]        = user.values
    override def toString: String                                   = text
  }

  private[columns] final class RowEvictor(user: Evictor[Row], text: String, view: Option[RowView])
      extends Evictor[InternalRow]
      with ColumnPart[Evictor[InternalRow]] {

    private[columns] def bind(binder: ColumnBinder): Evictor[InternalRow] =
      new RowEvictor(user, text, Some(binder.rowView))

    def evictBefore(elements: ElementList[InternalRow], window: Window, ctx: EvictorContext): Unit =
      evict(elements)(user.evictBefore(_, window, ctx))

    def evictAfter(elements: ElementList[InternalRow], window: Window, ctx: EvictorContext): Unit =
      evict(elements)(user.evictAfter(_, window, ctx))

    // The user's evictor works on a list of views; what it took out there goes here.
    private def evict(elements: ElementList[InternalRow])(evict: ElementList[Row] => Unit): Unit = {
      val views = new ElementList[Row](NeverWritten)
      (0 until elements.size).foreach(i => views.add(viewed(view, elements(i)), elements.timestamp(i)))
      val all = (0 until views.size).map(views(_))
      PartFailure.named(text)(evict(views))
      var next = 0
      elements.removeIf { i =>
        val kept = next < views.size && (views(next) eq all(i))
        if (kept) next += 1
        !kept
      }
    }

    override def toString: String = text
  }

  private final class NamedAggregate(val user: AggregateFunction, text: String)
      extends AggregateFunction
      with PartText.Called {
    def accumulatorSchema: StructType      = user.accumulatorSchema
    def resultSchema: StructType           = user.resultSchema
    def createAccumulator(): Row           = user.createAccumulator()
    def add(acc: Row, row: Row): Row       = user.add(acc, row)
    def merge(kept: Row, merged: Row): Row = user.merge(kept, merged)
    def getResult(acc: Row): Row           = user.getResult(acc)
    override def toString: String          = text
  }

  private final class NamedReduce(val user: ReduceFunction, text: String) extends ReduceFunction with PartText.Called {
    def reduce(kept: Row, row: Row): Row = user.reduce(kept, row)
    override def toString: String        = text
  }

  private object NeverWritten extends ValueCodec[Row] {
    def write(value: Row, out: BlockWriter): Unit = throw new IllegalStateException("a view of rows is not written")
    def read(in: BlockReader): Row                = throw new IllegalStateException("a view of rows is not read")
  }
}
