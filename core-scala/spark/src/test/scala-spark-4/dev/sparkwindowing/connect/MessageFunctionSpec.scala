package dev.sparkwindowing.connect

import dev.sparkwindowing.spark.SharedSpark
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, Rand}
import org.apache.spark.sql.types.BinaryType
import org.apache.spark.sql.{AnalysisException, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

/** The table function takes a message and nothing else, in the session of a client that asked for it. */
class MessageFunctionSpec extends AnyFunSuite with SharedSpark {

  private def refusal(arguments: Expression*): String =
    intercept[IllegalArgumentException]((new MessageFunction).apply(arguments)).getMessage

  for (
    (what, arguments) <- Seq(
      "nothing"         -> Nil,
      "a text"          -> Seq(Literal("calls")),
      "null"            -> Seq(Literal(null)),
      "two messages"    -> Seq(Literal(Array[Byte](1)), Literal(Array[Byte](1))),
      "an expression"   -> Seq(Rand(1)),
      "a null of bytes" -> Seq(Literal(null, BinaryType))
    )
  ) test(s"refused: $what")(assert(refusal(arguments: _*).contains("it takes one binary literal")))

  test("refused: a session that is not a client's") {
    assert(refusal(Literal(Array[Byte](1))) == "this is no session of a client of Spark Connect")
  }

  test("the data source adds the function to the session that reads it, and to no other") {
    val (own, other) = (spark.newSession(), spark.newSession())
    assert(own.read.format(classOf[WindowsOfSession].getName).load().columns.toSeq == Seq("nothing"))
    def call(in: SparkSession) = in.sql(s"SELECT * FROM ${MessageFunction.Name}('calls')")
    assert(intercept[IllegalArgumentException](call(own)).getMessage.contains("it takes one binary literal"))
    assert(intercept[AnalysisException](call(other)).getMessage.contains(MessageFunction.Name))
  }
}
