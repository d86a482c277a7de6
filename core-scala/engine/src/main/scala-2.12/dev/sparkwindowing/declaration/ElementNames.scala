package dev.sparkwindowing.declaration

import java.lang.reflect.Modifier
import scala.reflect.NameTransformer

/** Names of a case class's parameters, which Scala 2.12 does not know: its first final fields, in the order of the class.
  * Fields of lazy values, which may come before them, are not final.
  */
private[sparkwindowing] object ElementNames {
  def of(product: Product): Iterator[String] =
    product.getClass.getDeclaredFields.iterator
      .filterNot(field => field.isSynthetic || Modifier.isStatic(field.getModifiers))
      .filter(field => Modifier.isFinal(field.getModifiers))
      .map(field => NameTransformer.decode(field.getName))
      .take(product.productArity)
}
