package dev.sparkwindowing.functions

import dev.sparkwindowing.testing.Properties
import org.scalacheck.Gen

/** The distances that come with the project, on points and by their laws. */
class DistancesSpec extends Properties {
  private val euclidean = EuclideanDistance[Seq[Double]](_.toArray)
  private val cosine    = CosineDistance[Seq[Double]](_.toArray)

  private def near(a: Double, b: Double): Boolean = math.abs(a - b) < 1e-9

  test("the distance of points is the length of the line between them") {
    assert(euclidean.delta(Seq(0, 0), Seq(3, 4)) == 5)
    assert(euclidean.delta(Seq(1, 2, 3), Seq(3, 5, 9)) == 7)
    assert(euclidean.delta(Seq(-2), Seq(5)) == 7)
    assert(euclidean.delta(Nil, Nil) == 0)
  }

  test("the cosine distance is 0 in the same direction, 1 at a right angle and 2 in the opposite direction") {
    assert(near(cosine.delta(Seq(1, 2), Seq(10, 20)), 0))
    assert(near(cosine.delta(Seq(0, 3), Seq(5, 0)), 1))
    assert(near(cosine.delta(Seq(1, -1), Seq(-7, 7)), 2))
    assert(near(cosine.delta(Seq(1, 0), Seq(1, 1)), 1 - math.sqrt(0.5)))
  }

  test("the cosine distance from or to nothing but zeros is 0") {
    assert(cosine.delta(Seq(0, 0), Seq(1, 1)) == 0)
    assert(cosine.delta(Seq(1, 1), Seq(0, 0)) == 0)
  }

  private val vector = Gen.listOfN(3, Gen.choose(-100.0, 100.0)).suchThat(_.exists(x => math.abs(x) > 1e-3))

  property("a distance is the same both ways, 0 to itself and not negative", Gen.zip(vector, vector)) { case (a, b) =>
    for (d <- Seq(euclidean, cosine)) {
      assert(near(d.delta(a, b), d.delta(b, a)), d)
      assert(near(d.delta(a, a), 0), d)
      assert(d.delta(a, b) > -1e-9, d)
    }
  }

  property("a detour is not shorter", Gen.zip(vector, vector, vector)) { case (a, b, c) =>
    assert(euclidean.delta(a, c) <= euclidean.delta(a, b) + euclidean.delta(b, c) + 1e-9)
  }

  property("the cosine distance does not look at lengths and is at most 2", Gen.zip(vector, vector)) { case (a, b) =>
    assert(near(cosine.delta(a, b), cosine.delta(a.map(_ * 3), b.map(_ / 7))))
    assert(cosine.delta(a, b) < 2 + 1e-9)
  }
}
