package dev.sparkwindowing.windows

import org.scalatest.funsuite.AnyFunSuite

/** Durations as text. The same texts are those of `test_durations.py`. */
class DurationsSpec extends AnyFunSuite {

  private val read = Seq(
    "5 minutes"              -> 300000L,
    "1 minute"               -> 60000L,
    "1 hour 30 minutes"      -> 5400000L,
    "1 day"                  -> 86400000L,
    "2 weeks"                -> 1209600000L,
    "500 milliseconds"       -> 500L,
    "1.5 seconds"            -> 1500L,
    "-8 hours"               -> -28800000L,
    "1 hour -30 minutes"     -> 1800000L,
    "+10 Seconds"            -> 10000L,
    "  10   seconds  "       -> 10000L,
    "10 s"                   -> 10000L,
    "10s"                    -> 10000L,
    "2 h 5 min 3 s 1 ms"     -> 7503001L,
    "3 d"                    -> 259200000L,
    "0 seconds"              -> 0L,
    "106751991167 days"      -> 9223372036828800000L,
    s"0.${"0" * 50} seconds" -> 0L
  )

  test("text is read as Spark writes it") {
    read.foreach { case (text, millis) => assert(Durations.of(text).toMillis == millis, text) }
  }

  test("other text is refused, and the error lists the units") {
    val wrong = Seq("", "5", "minutes", "5 months", "1 year", "5 m", "5 seconds!", "5 seconds, 3 minutes") ++
      Seq("1.5 minutes", "1e3 seconds", "\u0665 seconds", "5 ss", "5 mss")
    wrong.foreach { text =>
      val e = intercept[IllegalArgumentException](Durations.of(text))
      assert(e.getMessage.contains(s"got '$text'. Units: milliseconds (ms)"))
    }
  }

  test("durations are whole milliseconds that fit into a Long") {
    def error(text: String) = intercept[IllegalArgumentException](Durations.of(text)).getMessage
    assert(error("1.0005 seconds") == "a duration must be a whole number of milliseconds, got '1.0005 seconds'")
    assert(error(s"1.${"0" * 50}1 seconds").startsWith("a duration must be a whole number of milliseconds"))
    assert(error("106751991168 days") == "the duration '106751991168 days' is too long")
    assert(intercept[NullPointerException](Durations.of(null)).getMessage == "a duration must not be null")
  }
}
