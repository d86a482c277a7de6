package dev.sparkwindowing.declaration

import java.lang.reflect.{Field, Modifier}
import java.time.Duration
import scala.jdk.CollectionConverters._
import scala.util.Try

/** Default spec of a part: its class and the readable values of its fields. */
private[sparkwindowing] object FieldSpecs {

  def of(part: AnyRef): PartSpec = part match {
    case product: Product =>
      val fields = ElementNames.of(product).zip(product.productIterator)
      PartSpec(name(part.getClass), fields.flatMap { case (n, v) => argument(v).map(n -> _) }.toSeq)
    case _ =>
      PartSpec(
        name(part.getClass),
        options = fieldsOf(part.getClass).flatMap(f => valueOf(f, part).map(f.getName -> _))
      )
  }

  /** Spec of a constructor call.
    *
    * @return
    *   the call without the arguments that a spec cannot hold
    */
  def ofCall(className: String, arguments: Seq[Any]): PartSpec =
    PartSpec(className, arguments.zipWithIndex.flatMap { case (a, i) => argument(a).map((i + 1).toString -> _) })

  /** Spec of a function that does not affect the state, so that its arguments may change: its class alone. */
  def ofClass(function: AnyRef): PartSpec = PartSpec(name(function.getClass))

  // After this marker the name of a lambda class differs at each start.
  private def name(c: Class[_]): String = {
    val stable = c.getName.split("\\$\\$Lambda", 2).head
    if (stable.startsWith(Own)) stable.substring(stable.lastIndexOf('.') + 1) else stable
  }

  private val Own = "dev.sparkwindowing."

  private def argument(value: Any): Option[Spec] = value match {
    case null                                        => Some(Spec.Text("null"))
    case n @ (_: Long | _: Int | _: Short | _: Byte) => Some(Spec.Count(n.asInstanceOf[Number].longValue))
    case n @ (_: Double | _: Float)                  => Some(Spec.Real(n.asInstanceOf[Number].doubleValue))
    case n: Number                                   => Some(Spec.Text(n.toString))
    case flag: Boolean                               => Some(Spec.Flag(flag))
    case text: String                                => Some(Spec.Text(s"'$text'"))
    case char: Char                                  => Some(Spec.Text(s"'$char'"))
    case duration: Duration                          => Some(ofDuration(duration))
    case constant: Enum[_]                           => Some(Spec.Text(constant.name))
    case part: Part                                  => Some(part.spec)
    case array: Array[_]                             => items(array.toSeq)
    case list: java.util.List[_]                     => items(list.asScala.toSeq)
    case option: Option[_]                           => items(option.toSeq)
    case seq: scala.collection.Seq[_]                => items(seq.toSeq)
    case _                                           => None
  }

  private def ofDuration(d: Duration): Spec =
    Try(d.toMillis).toOption.filter(Duration.ofMillis(_) == d).fold[Spec](Spec.Text(d.toString))(Spec.millis)

  // A sequence is included completely or not at all, so that a change of its length is noticed.
  private def items(values: Seq[Any]): Option[Spec] = {
    val specs = values.map(argument)
    if (specs.contains(None)) None else Some(Spec.Items(specs.flatten))
  }

  private def fieldsOf(c: Class[_]): Seq[Field] =
    Iterator
      .iterate[Class[_]](c)(_.getSuperclass)
      .takeWhile(_ != null)
      .flatMap(_.getDeclaredFields)
      .filter(f => Modifier.isFinal(f.getModifiers) && !Modifier.isStatic(f.getModifiers) && !f.isSynthetic)
      .toSeq

  // None for a field that reflection cannot read.
  private def valueOf(field: Field, part: Any): Option[Spec] =
    Try {
      field.setAccessible(true)
      argument(field.get(part))
    }.toOption.flatten
}
