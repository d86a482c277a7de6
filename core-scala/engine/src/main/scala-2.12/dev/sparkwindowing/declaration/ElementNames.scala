package dev.sparkwindowing.declaration

import java.lang.reflect.Modifier
import scala.reflect.NameTransformer

/** Names of a case class's parameters, which Scala 2.12 does not know: its first fields, in the order of the class. */
private[sparkwindowing] object ElementNames {
  def of(product: Product): Iterator[String] =
    product.getClass.getDeclaredFields.iterator
      .filterNot(field => field.isSynthetic || Modifier.isStatic(field.getModifiers))
      .map(field => NameTransformer.decode(field.getName))
      .take(product.productArity)
}
