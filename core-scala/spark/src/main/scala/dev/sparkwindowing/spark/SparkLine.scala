package dev.sparkwindowing.spark

import org.apache.spark.SPARK_VERSION

/** A line of Spark: the versions that run the same jar. It is named after the first of them. */
private[sparkwindowing] object SparkLine {

  /** The line of this jar, such as "4.1". */
  def own: String = BuildInfo.sparkLine

  /** Refuses a Spark of another line, whose classes differ from those that this jar was compiled with.
    *
    * @throws java.lang.IllegalStateException
    *   with the name of the right jar
    */
  def check(): Unit = refusal(SPARK_VERSION).foreach(text => throw new IllegalStateException(text))

  /** None if this jar is for that version. */
  def refusal(version: String): Option[String] = {
    val right = rightJar(version)
    if (right.contains(nameOf(s"${own}_$scala"))) None
    else {
      val use = right.fold("there is no jar of this version for it")(name => s"use dev.sparkwindowing:$name")
      Some(s"${nameOf(s"${own}_$scala")} does not run on Spark $version with Scala $scala: $use")
    }
  }

  private def scala: String = BuildInfo.scalaVersion.split('.').take(2).mkString(".")

  private def nameOf(line: String): String = s"spark-windowing-spark$line:${BuildInfo.version}"

  // Of the lines with this Scala, the last that does not begin after the version.
  private def rightJar(version: String): Option[String] = {
    val from = for {
      Array(line, ofScala) <- BuildInfo.lines.map(_.split('_')) if ofScala == scala
      first                <- number(line)
    } yield first -> nameOf(s"${line}_$ofScala")
    val candidates = number(version).toSeq.flatMap(n => from.filter(_._1 <= n))
    if (candidates.isEmpty) None else Some(candidates.maxBy(_._1)._2)
  }

  private def number(version: String): Option[Int] = """^(\d+)\.(\d+)""".r
    .findFirstMatchIn(version)
    .map(m => m.group(1).toInt * 1000 + m.group(2).toInt)
}
