package dev.sparkwindowing.columns

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.expressions.{ColumnBinder, RowFunction, StructFit}
import dev.sparkwindowing.spark.rows.EventTimeType
import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/** Declared answers of a trigger, and its initial state. */
private[columns] final case class DeclaredAnswers(
    state: Option[Column],
    onElement: Option[TriggerAnswer],
    onEventTime: Option[TriggerAnswer],
    onProcessingTime: Option[TriggerAnswer],
    onMerge: Option[TriggerAnswer]
) {

  /** True if an answer sets timers of that clock. */
  def sets(clock: TimeDomain): Boolean = setter(clock).nonEmpty

  /** True if an answer may purge. */
  def purges: Boolean = Seq(onElement, onEventTime, onProcessingTime).flatten.exists(_.purge.nonEmpty)

  /** The answer that sets a timer, and its clock, if there is no answer to that timer. */
  def unanswered: Option[(String, String)] = {
    def event      = setter(TimeDomain.EventTime).map(_ -> "event")
    def processing = setter(TimeDomain.ProcessingTime).map(_ -> "processing")
    event.filter(_ => onEventTime.isEmpty).orElse(processing.filter(_ => onProcessingTime.isEmpty))
  }

  private def setter(clock: TimeDomain): Option[String] = Seq(
    "on_element"         -> onElement,
    "on_event_time"      -> onEventTime,
    "on_processing_time" -> onProcessingTime,
    "on_merge"           -> onMerge
  ).collectFirst { case (name, Some(answer)) if answer.timerOf(clock).nonEmpty => name }
}

/** Answers of a trigger, one compiled expression per trigger method, and its initial state. */
private[columns] final class BoundAnswers(
    val state: Option[(StructType, RowFunction)],
    val onElement: Option[RowFunction],
    val onEventTime: Option[RowFunction],
    val onProcessingTime: Option[RowFunction],
    val onMerge: Option[RowFunction]
) extends Serializable {

  def spec: PartSpec = {
    val asked = Seq("state" -> state.map(_._2), "on_element" -> onElement, "on_event_time" -> onEventTime) ++
      Seq("on_processing_time" -> onProcessingTime, "on_merge" -> onMerge)
    PartSpec("ColumnTrigger.of", options = asked.collect { case (name, Some(f)) => name -> Spec.Sql(f.text) })
  }
}

private[columns] object BoundAnswers {

  /** Positions of the fields of an answer. */
  val Fire                  = 0
  val Purge                 = 1
  val State                 = 2
  val DeleteEventTimer      = 3
  val DeleteProcessingTimer = 4
  val EventTimer            = 5
  val ProcessingTimer       = 6
  val Size                  = 7

  // The timers of an answer, each with the type of its time.
  private def timersOf(times: EventTimeType): Seq[(String, DataType)] = Seq(
    "delete_event_timer"      -> times.dataType,
    "delete_processing_timer" -> TimestampType,
    "event_timer"             -> times.dataType,
    "processing_timer"        -> TimestampType
  )

  // Values that an answer may refer to, in the order in which they are passed; the state comes last.
  private final class Known(times: EventTimeType) {
    private val event = times.dataType

    // `last` is the last millisecond, the time of the timer at the end of the window.
    private val window = StructType(Seq("start", "end", "last").map(StructField(_, event)))

    val always: Seq[StructField] =
      Seq(StructField("window", window), StructField("watermark", event), StructField("processing_time", TimestampType))

    val atElement: Seq[StructField] = StructField("timestamp", event) +: always

    def atTimer(of: DataType): Seq[StructField] =
      Seq(StructField("time", of), StructField("is_last", BooleanType)) ++ always

    def atEventTimer: Seq[StructField] = atTimer(event)
  }

  def apply(declared: DeclaredAnswers, binder: ColumnBinder): BoundAnswers = {
    import declared._
    val known = new Known(binder.times)
    val start = state.map(binder.overValues(_, Nil, "ColumnTrigger: state"))
    val first = start.map(f => StructFit.structOf(f.dataType, "ColumnTrigger: state"))

    val element: Over = (remembered, column, what) =>
      binder.overRow(column, "element", known.atElement ++ remembered.map(StructField("state", _)), what)
    def timer(facts: Seq[StructField]): Over = (remembered, column, what) =>
      binder.overValues(column, facts ++ remembered.map(StructField("state", _)), what)
    val merge: Over = (remembered, column, what) =>
      binder.overValues(column, known.always ++ remembered.map(t => StructField("states", ArrayType(t))), what)
    val asked = Seq(
      Asked("on_element", onElement, element),
      Asked("on_event_time", onEventTime, timer(known.atEventTimer)),
      Asked("on_processing_time", onProcessingTime, timer(known.atTimer(TimestampType))),
      Asked("on_merge", onMerge, merge)
    )
    val kept  = first.map(t => StructFit.widest(t, asked.flatMap(_.stateType(t))))
    val bound = asked.map(_.bind(kept, binder))
    new BoundAnswers(
      for (t <- kept; f <- start) yield (t, f.map(StructFit(_, t, "ColumnTrigger: state", "what the answers give"))),
      bound(0),
      bound(1),
      bound(2),
      bound(3)
    )
  }

  /** Compiles a column over the values of a trigger method and over a state of that type, if there is one. */
  private type Over = (Option[StructType], Column, String) => RowFunction

  private final case class Asked(name: String, answer: Option[TriggerAnswer], over: Over) {

    private def what(part: String): String = s"ColumnTrigger: ${Code.name(part)} of ${Code.name(name)}"

    /** Type of the state in the answer, for a current state of type `found`. */
    def stateType(found: StructType): Option[StructType] = answer.flatMap(_.state).map { column =>
      StructFit.structOf(over(Some(found), column, what("state")).dataType, what("state"))
    }

    def bind(kept: Option[StructType], binder: ColumnBinder): Option[RowFunction] = answer.map { a =>
      def flag(part: String, column: Option[Column]) = column.map { c =>
        val f = over(kept, c, what(part))
        if (f.dataType != BooleanType)
          throw new IllegalArgumentException(s"${what(part)} must be BOOLEAN, got ${f.dataType.sql}")
        part -> f
      }
      val state = a.state.map { column =>
        val of = kept.getOrElse(
          throw new IllegalArgumentException(
            s"${what("state")} is given, and the trigger has none to begin with: add state=, a struct of constants"
          )
        )
        "state" -> over(kept, column, what("state")).map(StructFit(_, of, what("state"), "the trigger's state"))
      }
      val types  = timersOf(binder.times)
      val timers = types.zip(a.timers).map { case ((part, time), column) =>
        column.map(c => part -> timesOf(over(kept, c, what(part)), time, what(part)))
      }
      binder.struct(
        Seq(flag("fire", a.fire), flag("purge", a.purge), state) ++ timers,
        Seq(BooleanType, BooleanType, kept.getOrElse(NullType)) ++ types.map { case (_, time) => ArrayType(time) },
        "Answer",
        "ColumnTrigger"
      )
    }
  }

  private def timesOf(f: RowFunction, time: DataType, what: String): RowFunction = f.map { value =>
    value.dataType match {
      case `time`               => CreateArray(Seq(value))
      case ArrayType(`time`, _) => value
      case NullType             => Literal(null, ArrayType(time))
      case other                =>
        val cast = other match {
          case TimestampType | TimestampNTZType               => Some(time.catalogString)
          case ArrayType(TimestampType | TimestampNTZType, _) => Some(s"array<${time.catalogString}>")
          case _                                              => None
        }
        throw new IllegalArgumentException(
          s"$what must be a ${time.sql} or an array of them, got ${other.sql}" +
            cast.fold("")(to => s", of another kind of time than its clock: ${Code.sql(f.text).cast(to)}")
        )
    }
  }
}
