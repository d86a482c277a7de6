package dev.sparkwindowing.declaration

/** Names of a case class's parameters, which Scala knows since 2.13. */
private[sparkwindowing] object ElementNames {
  def of(product: Product): Iterator[String] = product.productElementNames
}
