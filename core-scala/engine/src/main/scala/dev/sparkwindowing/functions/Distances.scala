package dev.sparkwindowing.functions

/** Euclidean distance between the points of two elements in the plane or space. */
final case class EuclideanDistance[E](point: E => Array[Double]) extends DeltaFunction[E] {

  def delta(old: E, element: E): Double = {
    val a   = point(old)
    val b   = point(element)
    var sum = 0.0
    var i   = 0
    while (i < a.length) {
      sum += (a(i) - b(i)) * (a(i) - b(i))
      i += 1
    }
    math.sqrt(sum)
  }
}

/** One minus the cosine of the angle between the vectors of two elements: 0 for the same direction, 1 for a right
  * angle, 2 for the opposite one; 0 if one of them is all zeros.
  */
final case class CosineDistance[E](vector: E => Array[Double]) extends DeltaFunction[E] {

  def delta(old: E, element: E): Double = {
    val a       = vector(old)
    val b       = vector(element)
    var product = 0.0
    var squareA = 0.0
    var squareB = 0.0
    var i       = 0
    while (i < a.length) {
      product += a(i) * b(i)
      squareA += a(i) * a(i)
      squareB += b(i) * b(i)
      i += 1
    }
    if (squareA == 0 || squareB == 0) 0.0 else 1.0 - product / (math.sqrt(squareA) * math.sqrt(squareB))
  }
}
