package dev.sparkwindowing.interop

import dev.sparkwindowing.assigners.{CalendarUnit, WindowStagger}
import dev.sparkwindowing.triggers.{FiringInterval, Trigger}
import dev.sparkwindowing.watermarks.WatermarkStrategy

import java.lang.reflect.{InvocationTargetException, Method}
import java.time.{DayOfWeek, Duration, LocalDate}
import scala.jdk.CollectionConverters._

/** Creates assigners, triggers, evictors and watermark strategies by the names of their factory methods, for callers
  * without Scala.
  */
private[sparkwindowing] object Parts {

  private val Packages = Seq("assigners", "triggers", "evictors", "columns").map(p => s"dev.sparkwindowing.$p.")
  private val Classes  = Set(classOf[WatermarkStrategy].getName, ClassParts.getClass.getName.stripSuffix("$"))

  def make(className: String, method: String, args: Seq[Object]): Object = {
    def refuse(what: String): Nothing = throw new IllegalArgumentException(s"$className $what")
    if (!Classes(className) && !Packages.exists(className.startsWith))
      refuse("is no part of a window of spark-windowing")
    val found =
      try Class.forName(s"$className$$", false, getClass.getClassLoader)
      catch { case _: ClassNotFoundException => refuse("is no part of a window of spark-windowing") }
    val factory = found.getMethods
      .find(m => m.getName == method && m.getParameterCount == args.size && !m.isBridge && !isOfEveryObject(m))
      .getOrElse(refuse(s"has no factory $method with ${args.size} arguments"))
    try factory.invoke(found.getField("MODULE$").get(null), fit(factory.getParameterTypes.toSeq, args): _*)
    catch {
      case e: InvocationTargetException => throw e.getCause
    }
  }

  private def isOfEveryObject(method: Method) = method.getDeclaringClass == classOf[Object]

  /** Arguments converted to parameter types: a number to Long, Integer or Double; a Java list to a Seq; a name to a
    * WindowStagger or a DayOfWeek; a name, a duration or a trigger to a FiringInterval; a date as text to a LocalDate.
    */
  def fit(parameters: Seq[Class[_]], args: Seq[Object]): Seq[Object] =
    parameters.zip(args).map {
      case (java.lang.Long.TYPE, n: Number)    => java.lang.Long.valueOf(n.longValue)
      case (java.lang.Integer.TYPE, n: Number) => java.lang.Integer.valueOf(n.intValue)
      case (java.lang.Double.TYPE, n: Number)  => java.lang.Double.valueOf(n.doubleValue)
      // Scala 2.12 and 2.13 have another Seq.
      case (c, l: java.util.List[_]) if c == classOf[Seq[_]]     => l.asScala.toSeq
      case (c, name: String) if c == classOf[WindowStagger]      => WindowStagger.of(name)
      case (c, name: String) if c == classOf[DayOfWeek]          => CalendarUnit.dayOfWeek(name)
      case (c, date: String) if c == classOf[LocalDate]          => LocalDate.parse(date)
      case (c, name: String) if c == classOf[FiringInterval[_]]  => FiringInterval.of(name)
      case (c, d: Duration) if c == classOf[FiringInterval[_]]   => FiringInterval.every(d)
      case (c, t: Trigger[_]) if c == classOf[FiringInterval[_]] => FiringInterval.by(t)
      case (_, other)                                            => other
    }
}
