package dev.sparkwindowing.spark

import org.apache.spark.SPARK_VERSION

import scala.util.Properties

/** A line of Spark: the versions that run the same jar. It is named after the first of them, and its Scala.
  *
  * With the jar for another Scala the collections of Scala cannot be loaded, so none is used here.
  */
private[sparkwindowing] object SparkLine {

  /** The line of this jar, such as "4.1_2.13". */
  def own: String = BuildInfo.sparkLine + "_" + binary(BuildInfo.scalaVersion)

  /** Refuses a Spark of another line, whose classes differ from those that this jar was compiled with.
    *
    * @throws java.lang.IllegalStateException
    *   with the name of the right jar
    */
  def check(): Unit = {
    val text = refusal(SPARK_VERSION, binary(Properties.versionNumberString))
    if (text != null) throw new IllegalStateException(text)
  }

  /** Why this jar is not for that version of Spark, built with that Scala; null if it is. */
  def refusal(version: String, scala: String): String = {
    val right = rightJar(version, scala)
    if (nameOf(own) == right) null
    else
      nameOf(own) + " does not run on Spark " + version + " with Scala " + scala + ": " +
        (if (right == null) "there is no jar of this version for it" else "use dev.sparkwindowing:" + right)
  }

  private def binary(scala: String): String = scala.substring(0, scala.indexOf('.', scala.indexOf('.') + 1))

  private def nameOf(line: String): String = "spark-windowing-spark" + line + ":" + BuildInfo.version

  // Of the lines with that Scala and the version's first number, the last that does not begin after the version.
  private def rightJar(version: String, scala: String): String = {
    val lines = BuildInfo.lines.split(' ') // in order
    var right = null: String
    var i     = 0
    while (i < lines.length) {
      val line = lines(i).split('_')
      if (line(1) == scala && major(line(0)) == major(version) && minor(line(0)) <= minor(version))
        right = nameOf(lines(i))
      i += 1
    }
    right
  }

  private def major(version: String): Int = number(version, 0)
  private def minor(version: String): Int = number(version, 1)

  private def number(version: String, at: Int): Int = {
    val parts = version.split('.')
    try if (at < parts.length) Integer.parseInt(parts(at)) else -1
    catch { case _: NumberFormatException => -1 }
  }
}
