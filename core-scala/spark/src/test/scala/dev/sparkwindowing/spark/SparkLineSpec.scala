package dev.sparkwindowing.spark

import org.scalatest.funsuite.AnyFunSuite

/** The jar for one line of Spark on another one. */
class SparkLineSpec extends AnyFunSuite {

  private def right(version: String): String = {
    val said = SparkLine.refusal(version).getOrElse(s"$version is accepted by ${SparkLine.own}")
    said.split(": ").last
  }

  test("the running Spark is accepted, with a vendor's suffix too") {
    SparkLine.check()
    assert(SparkLine.refusal(BuildInfo.sparkVersion + "-amzn-1").isEmpty)
  }

  test("another line is refused with the name of its jar") {
    val others = Seq("4.0.1" -> "4.0", "4.1.0" -> "4.1", "4.3.0" -> "4.1").filterNot(_._2 == SparkLine.own)
    assert(others.nonEmpty)
    others.foreach { case (version, line) =>
      assert(SparkLine.refusal(version).get.startsWith(s"spark-windowing-spark${SparkLine.own}_2.13:"))
      assert(
        SparkLine
          .refusal(version)
          .get
          .endsWith(s"use dev.sparkwindowing:spark-windowing-spark${line}_2.13:${BuildInfo.version}")
      )
    }
  }

  test("a Spark before all lines has no jar") {
    Seq("3.4.4", "2.4.8", "unknown").foreach(v => assert(right(v) == "there is no jar of this version for it"))
  }
}
