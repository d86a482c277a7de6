package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.spark.links.{LinkedPart, SparkLinks}
import org.apache.spark.sql.internal.SQLConf

import java.util.Locale

/** The operator that runs the windows of a stream: the native one, which extends Spark's, or the portable one, inside
  * Spark's public `flatMapGroupsWithState`.
  */
private[sparkwindowing] sealed abstract class OperatorChoice(val isPortable: Boolean) {

  /** Name of the operator, with the reason where there is one. */
  def text: String
}

private[sparkwindowing] object OperatorChoice {

  /** Setting of the session that overrules the check: "native" or "portable". */
  val Setting = "spark.windowing.operator"

  case object Native extends OperatorChoice(isPortable = false) {
    def text: String = "native"
  }

  /** The native operator as the session wants it. */
  case object ForcedNative extends OperatorChoice(isPortable = false) {
    def text: String = s"native ($Setting is native)"
  }

  final case class Portable(reason: String) extends OperatorChoice(isPortable = true) {
    def text: String = s"portable ($reason)"
  }

  /** The choice for the streams of the active session.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the setting names no operator
    */
  def ofSession: OperatorChoice = ofSession(SparkLinks.missing(LinkedPart.NativeOperator))

  /** @param missing
    *   what the native operator needs and this Spark lacks
    */
  private[plan] def ofSession(missing: => Option[String]): OperatorChoice =
    Option(SQLConf.get.getConfString(Setting, null)).map(_.trim.toLowerCase(Locale.ROOT)) match {
      case None             => missing.fold[OperatorChoice](Native)(why => Portable(s"$why in this Spark"))
      case Some("native")   => ForcedNative
      case Some("portable") => Portable(s"$Setting is portable")
      case Some(_)          =>
        throw new IllegalArgumentException(
          s"$Setting must be native or portable, got '${SQLConf.get.getConfString(Setting)}': " +
            s"""spark.conf.set("$Setting", "portable"), or spark.conf.unset("$Setting") to have it chosen"""
        )
    }

  /** True if a part links with this Spark, or the session wants what is native all the same. */
  def links(part: LinkedPart): Boolean = ofSession(None) == ForcedNative || SparkLinks.missing(part).isEmpty

  /** Refuses a part that uses internals of Spark which this Spark lacks.
    *
    * @throws java.lang.UnsupportedOperationException
    *   if something is missing, unless the session wants the native operator all the same
    */
  def requireLinks(part: LinkedPart, instead: String): Unit =
    if (!links(part)) SparkLinks.missing(part).foreach { why =>
      throw new UnsupportedOperationException(
        s"${part.what} on a stream does not run on this Spark, which is no open-source one: $why. $instead"
      )
    }
}
