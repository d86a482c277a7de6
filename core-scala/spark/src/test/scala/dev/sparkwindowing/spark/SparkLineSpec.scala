package dev.sparkwindowing.spark

import org.scalatest.funsuite.AnyFunSuite

/** The jar for one line of Spark on another one. */
class SparkLineSpec extends AnyFunSuite {
  private val Scala = "2.13"

  private def right(version: String): String = {
    val said = Option(SparkLine.refusal(version, Scala)).getOrElse(s"$version is accepted by ${SparkLine.own}")
    said.split(": ").last
  }

  test("the running Spark is accepted, with a vendor's suffix too") {
    SparkLine.check()
    assert(SparkLine.refusal(BuildInfo.sparkVersion + "-amzn-1", Scala) == null)
  }

  test("another line is refused with the name of its jar") {
    val others = Seq("3.5.0" -> "3.5_2.13", "4.0.1" -> "4.0_2.13", "4.1.0" -> "4.1_2.13", "4.3.0" -> "4.1_2.13")
      .filterNot(_._2 == SparkLine.own)
    assert(others.nonEmpty)
    others.foreach { case (version, line) =>
      assert(SparkLine.refusal(version, Scala).startsWith(s"spark-windowing-spark${SparkLine.own}:"))
      assert(right(version) == s"use dev.sparkwindowing:spark-windowing-spark$line:${BuildInfo.version}")
    }
  }

  test("another Scala is refused with the name of its jar, if there is one") {
    val other = SparkLine.refusal("3.5.8", "2.12")
    assert(other.endsWith(s"Scala 2.12: use dev.sparkwindowing:spark-windowing-spark3.5_2.12:${BuildInfo.version}"))
    assert(SparkLine.refusal("4.2.0", "2.12").endsWith("there is no jar of this version for it"))
  }

  test("a Spark before all lines has no jar") {
    Seq("3.4.4", "2.4.8", "unknown").foreach(v => assert(right(v) == "there is no jar of this version for it"))
  }
}
