package dev.sparkwindowing.columns

import dev.sparkwindowing.functions.SideOutput
import dev.sparkwindowing.spark.advice.{Code, Face}
import dev.sparkwindowing.spark.computations.{BoundCall, BoundCalls, ColumnProcessWork, Rows}
import dev.sparkwindowing.spark.expressions.{ColumnBinder, RowFunction, StructFit}
import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/** The columns of a [[ColumnProcess]], bound to the rows of a query, with types that fit together. */
private[columns] final class ProcessColumns(declared: ColumnProcess, keys: Seq[StructField], binder: ColumnBinder) {
  import ColumnProcess.Name
  import ProcessColumns._

  private[this] val context = StructField("ctx", ColumnProcessWork.contextOf(keys, binder.times))

  private[this] val asked = Seq(
    Some(new Asked("on_element", declared.onElement, None)),
    declared.onEventTimer.map(new Asked("on_event_timer", _, Some(binder.times.dataType))),
    declared.onProcessingTimer.map(new Asked("on_processing_timer", _, Some(TimestampType)))
  )

  /** The state with its type and initial value. */
  val state: Option[(StructType, RowFunction)] = declared.state.map { column =>
    val start = binder.overValues(column, Nil, s"$Name: state")
    val first = StructFit.structOf(start.dataType, s"$Name: state")
    val kept  = StructFit.common(first, asked.flatten.flatMap(_.stateType(first)))
    kept -> start.map(StructFit(_, kept, s"$Name: state", "what the calls give"))
  }

  private[this] val kept = state.map(_._1)

  private[this] val emitted = asked.map(_.flatMap(_.rows("emit", _.emit)))

  /** Columns of a result. */
  val results: StructType = typeOf(emitted.flatten).getOrElse(new StructType())

  private[this] val tags = asked.flatten.flatMap(_.answer.side.map(_._1)).distinct

  private[this] val intoSides = tags.map { tag =>
    tag -> asked.map(_.flatMap(_.rows(sideOf(tag), _.side.collectFirst { case (`tag`, column) => column })))
  }

  val sides: Seq[SideOutput] = intoSides.map { case (tag, rows) =>
    SideOutput(
      tag,
      typeOf(rows.flatten).getOrElse {
        throw new IllegalArgumentException(
          s"$Name: ${sideOf(tag)} is always null, so that its columns are not known: give a struct, $AnyStruct"
        )
      }
    )
  }

  if (results.isEmpty && sides.isEmpty)
    throw new IllegalArgumentException(
      s"$Name has no result: give emit in one of its calls, ${Code.call("sw.Do", Code.named("emit", AnyStruct))}, or " +
        Code.named("side", RowsOfTag)
    )

  val calls: BoundCalls = {
    val bound = asked.indices.map(i => asked(i).map(_.bind(emitted(i), intoSides.map(_._2(i)))))
    new BoundCalls(bound(0).get, bound(1), bound(2))
  }

  private[this] def sideOf(tag: String) = s"side[${Code.text(tag)}]"

  private[this] def typeOf(rows: Seq[Emitted]): Option[StructType] =
    rows.headOption.map(first => StructFit.common(first.row, rows.tail.map(_.row)))

  /** Rows of an output in a call: a struct, or an array of structs. */
  private final class Emitted(val what: String, f: RowFunction, val row: StructType, val isArray: Boolean) {

    def text: String = f.text

    /** With the columns of all calls. */
    def fitted(wanted: StructType, of: String): RowFunction = f.map { value =>
      if (!isArray) StructFit(value, wanted, what, of)
      else {
        val element = NamedLambdaVariable("row", row, nullable = true)
        StructFit(element, wanted, what, of) match {
          case `element` => value
          case converted => ArrayTransform(value, LambdaFunction(converted, Seq(element)))
        }
      }
    }
  }

  // `timer` is the type of the timer's time; None for the call of an element.
  private final class Asked(val name: String, val answer: Do, timer: Option[DataType]) {

    private def what(part: String): String = s"$Name: ${Code.name(part)} of ${Code.name(name)}"

    private def over(column: Column, remembered: Option[StructType], part: String): RowFunction = {
      val more = context +: remembered.map(StructField("state", _)).toSeq
      timer.fold(binder.overRow(column, "row", more, what(part))) { time =>
        binder.overValues(column, StructField("time", time) +: more, what(part))
      }
    }

    // The text of a struct lacks the names of its fields, and a state of other names is another one.
    private def named(state: RowFunction): RowFunction = state.dataType match {
      case struct: StructType => state.written(s"${state.text} AS ${struct.fieldNames.mkString("(", ", ", ")")}")
      case _                  => state
    }

    /** Type of the state that the call gives, for a current state of type `found`. */
    def stateType(found: StructType): Option[StructType] =
      answer.state.map(over(_, Some(found), "state").dataType).filter(_ != NullType).map {
        StructFit.structOf(_, what("state"))
      }

    def rows(part: String, column: Do => Option[Column]): Option[Emitted] = column(answer).flatMap { c =>
      val f = over(c, kept, part)
      f.dataType match {
        case NullType                      => None
        case row: StructType               => Some(new Emitted(what(part), f, row, isArray = false))
        case ArrayType(row: StructType, _) => Some(new Emitted(what(part), f, row, isArray = true))
        case other                         =>
          throw new IllegalArgumentException(
            s"${what(part)} must be a struct or an array of structs, got ${other.sql}: ${Code.struct}"
          )
      }
    }

    def bind(emitted: Option[Emitted], intoSides: Seq[Option[Emitted]]): BoundCall = {
      val state = answer.state.map { column =>
        val of = kept.getOrElse {
          throw new IllegalArgumentException(
            s"${what("state")} is given, and the key has none to begin with: add state=, a struct of constants"
          )
        }
        named(over(column, kept, "state")).map { value =>
          val fit =
            if (value.dataType == NullType) Literal(null, of) else StructFit(value, of, what("state"), "the state")
          CreateNamedStruct(Seq(Literal("state"), fit))
        }
      }
      val sides   = tags.zip(intoSides)
      val outputs = (("emit", emitted, results) +: sides.zip(ProcessColumns.this.sides).map { case ((tag, e), side) =>
        (s"side $tag", e, side.schema)
      }).map { case (part, e, wanted) =>
        val first = part.takeWhile(_ != ' ')
        e.map(rows => part -> rows.fitted(wanted, s"$first of the other calls"))
      }
      val types = outputs.map(_.fold[DataType](NullType)(_._2.dataType))
      new BoundCall(
        name,
        binder.struct(
          Seq(
            state.map("state" -> _),
            answer.eventTimer.map("event_timer" -> timerOf(_, "event_timer", binder.times.dataType)),
            answer.processingTimer.map("processing_timer" -> timerOf(_, "processing_timer", TimestampType))
          ) ++ outputs,
          Seq(NullType, binder.times.dataType, TimestampType) ++ types,
          "Do",
          s"$Name: $name"
        ),
        state.nonEmpty,
        answer.eventTimer.nonEmpty,
        answer.processingTimer.nonEmpty,
        outputs
          .zip(emitted +: intoSides)
          .map { case (output, rows) =>
            if (output.isEmpty) Rows.None else if (rows.exists(_.isArray)) Rows.Array else Rows.One
          }
          .toArray
      )
    }

    private def timerOf(column: Column, part: String, time: DataType): RowFunction = {
      val f = over(column, kept, part)
      f.dataType match {
        case `time`   => f
        case NullType => f.map(_ => Literal(null, time))
        case other    =>
          val cast = other match {
            case TimestampType | TimestampNTZType => s": ${Code.sql(f.text).cast(time.catalogString)}"
            case _                                => ""
          }
          throw new IllegalArgumentException(s"${what(part)} must be a ${time.sql}, got ${other.sql}$cast")
      }
    }
  }
}

private object ProcessColumns {
  private val AnyStruct = Code.function("struct", Code.dots)
  private val RowsOfTag = Code {
    case Face.Scala => s"""Seq("tag" -> $AnyStruct)"""
    case _          => s"""{"tag": $AnyStruct}"""
  }
}
