package dev.sparkwindowing.sql

import dev.sparkwindowing.assigners._
import dev.sparkwindowing.functions.JoinKind
import dev.sparkwindowing.spark.declared.{Computed, Declaration, DeclaredRows}
import org.apache.spark.sql.catalyst.InternalRow

import java.util.Locale

/** The table functions that join the rows of two tables with the same key and window. */
private[sql] object JoinFunctions {
  import TableFunction._

  private val Left  = "left"
  private val Right = "right"
  private val Kinds =
    Map("inner" -> JoinKind.Inner, Left -> JoinKind.Left, Right -> JoinKind.Right, "full" -> JoinKind.Full)

  private def ofTwo(name: String, size: String, options: Seq[String], example: String)(
      assigner: Call => WindowAssigner[InternalRow]
  ): TableFunction = TableFunction(
    name,
    Seq(Left, Right),
    Seq("left_key", "right_key", "left_time", "right_time", size),
    ("kind" +: options) ++ Seq(Emit, EmitLate, AllowedLateness, Late, WithPane),
    example,
    call => {
      val rows = Seq(Left, Right).zipWithIndex.map { case (side, i) =>
        side -> call.keyed(i, s"${side}_key", Some(s"${side}_time"))
      }
      Declaration(DeclaredRows.Together(rows), Some(call.rules(assigner(call))), Computed.Joined(kind(call)))
    },
    hasAggregates = false
  )

  private def kind(call: Call): JoinKind = call.arguments.optionalText("kind").fold[JoinKind](JoinKind.Inner) { text =>
    Kinds.getOrElse(
      text.trim.toLowerCase(Locale.ROOT),
      call.function.refuse(s"kind must be 'inner', 'left', 'right' or 'full', got '$text'")
    )
  }

  val tumbling: TableFunction = ofTwo(
    "join_windows",
    "size",
    Seq("slide", "offset"),
    "join_windows(TABLE(clicks), TABLE(orders), 'user', 'buyer', 'ts', 'at', '10 minutes')"
  ) { c =>
    val a = c.arguments
    a.ifGiven("slide")
      .fold[WindowAssigner[InternalRow]](
        TumblingEventTimeWindows.of(a.duration("size"), a.optionalDuration("offset"))
      )(WindowFunctions.sliding(a, _))
  }

  val sessions: TableFunction = ofTwo(
    "join_sessions",
    "gap",
    Nil,
    "join_sessions(TABLE(clicks), TABLE(orders), 'user', 'buyer', 'ts', 'at', '30 minutes')"
  )(c => EventTimeSessionWindows.withGap(c.arguments.duration("gap")))

  val all: Seq[TableFunction] = Seq(tumbling, sessions)
}
