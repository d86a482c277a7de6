package dev.sparkwindowing.testing

import org.scalacheck.rng.Seed
import org.scalacheck.util.Pretty
import org.scalacheck.{Gen, Prop, Test}
import org.scalatest.funsuite.AnyFunSuite

/** Tests that hold for all values of a generator; the seed is fixed, so that a run can be repeated. */
abstract class Properties extends AnyFunSuite {

  def property[T](name: String, values: Gen[T], runs: Int = 200)(check: T => Unit): Unit = test(name) {
    val prop = Prop.forAllNoShrink(values) { value =>
      check(value)
      true
    }
    val result = Test.check(Test.Parameters.default.withInitialSeed(Seed(20260101L)).withMinSuccessfulTests(runs), prop)
    assert(result.passed, Pretty.pretty(result, Pretty.Params(2)))
  }

  /** Longs of all sizes, the extreme ones among them. */
  val anyLong: Gen[Long] = Gen.frequency(
    4 -> Gen.choose(-50L, 50L),
    2 -> Gen.choose(Long.MinValue, Long.MaxValue),
    1 -> Gen.oneOf(Long.MinValue, Long.MinValue + 1, Long.MaxValue - 1, Long.MaxValue)
  )
}
