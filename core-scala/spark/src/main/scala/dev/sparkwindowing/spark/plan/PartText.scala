package dev.sparkwindowing.spark.plan

import java.lang.reflect.{Field, Modifier}
import java.time.Duration
import scala.util.Try

/** The text of an assigner, trigger, evictor or function in a checkpoint: the same at every start of the query. */
private[sparkwindowing] object PartText {

  /** Its own text. The text of every object says where it lies in memory, so a part without one is written as its class
    * and the values of its fields: numbers, texts and the like that never change.
    */
  def of(part: Any): String =
    if (hasOwn(part)) part.toString
    else {
      val values = fieldsOf(part.getClass).flatMap(f => valueOf(f, part))
      part.getClass.getName + (if (values.isEmpty) "" else values.mkString("(", ", ", ")"))
    }

  /** The text of a function that decides nothing of what is kept, so that its arguments may change: its own, or its
    * class.
    */
  def ofFunction(function: AnyRef): String = if (hasOwn(function)) function.toString else function.getClass.getName

  /** The class that a user wrote. */
  def className(part: AnyRef): String = (part match {
    case called: Called => called.user
    case other          => other
  }).getClass.getName

  /** A function of a user's under the text of the call that made it. */
  private[sparkwindowing] trait Called {
    def user: AnyRef
  }

  /** A part that the constructor of a class makes of these arguments. */
  def ofCall(className: String, arguments: Seq[Any]): String =
    arguments.map(argument).mkString(s"$className(", ", ", ")")

  private def argument(value: Any): String = value match {
    case null                    => "null"
    case text: String            => s"'$text'"
    case array: Array[_]         => array.map(argument).mkString("[", ", ", "]")
    case list: java.util.List[_] => list.toArray.map(argument).mkString("[", ", ", "]")
    case other                   => of(other)
  }

  private def hasOwn(part: Any): Boolean =
    part.getClass.getMethod("toString").getDeclaringClass != classOf[Object]

  private def fieldsOf(c: Class[_]): Seq[Field] =
    Iterator
      .iterate[Class[_]](c)(_.getSuperclass)
      .takeWhile(_ != null)
      .flatMap(_.getDeclaredFields)
      .filter(f => Modifier.isFinal(f.getModifiers) && !Modifier.isStatic(f.getModifiers) && !f.isSynthetic)
      .toSeq

  // A field that is closed to others is not known.
  private def valueOf(field: Field, part: Any): Option[String] =
    Try {
      field.setAccessible(true)
      field.get(part)
    }.toOption.collect {
      case value @ (_: Number | _: String | _: Character | _: java.lang.Boolean | _: Enum[_] | _: Duration) =>
        s"${field.getName} = ${argument(value)}"
    }
}
