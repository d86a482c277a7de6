package dev.sparkwindowing.spark

import dev.sparkwindowing.spark.plan.RealTimeMode
import org.apache.spark.sql.SparkWindowingBridge
import org.scalatest.funsuite.AnyFunSuite

/** Settings of real-time mode; what runs in it is in tests on Spark 4.3, and LiveTaskSpec. */
class RealTimeModeSpec extends AnyFunSuite with SharedSpark {

  private def within[A](settings: (String, String)*)(body: => A): A = {
    val own = spark.newSession()
    settings.foreach { case (name, value) => own.conf.set(name, value) }
    SparkWindowingBridge.within(own)(body)
  }

  test("off by default, and neither true nor false is refused") {
    assert(!within()(RealTimeMode.isAllowed))
    assert(!within(RealTimeMode.Setting -> "false")(RealTimeMode.isAllowed))
    assert(within(RealTimeMode.Setting -> "true")(RealTimeMode.isAllowed))
    intercept[IllegalArgumentException](within(RealTimeMode.Setting -> "yes")(RealTimeMode.isAllowed))
  }

  test("defaults, and values of the session") {
    assert(within()(RealTimeMode.ofSession) == RealTimeMode.Default)
    val set = within(
      RealTimeMode.IntervalSetting -> "5 ms",
      RealTimeMode.IdleSetting     -> "0 ms",
      RealTimeMode.FirstSetting    -> "2 minutes",
      RealTimeMode.BytesSetting    -> "1m"
    )(RealTimeMode.ofSession)
    assert(set == RealTimeMode(5, 0, 120000, 1 << 20))
    assert((set.heartbeat(hasClock = true), set.heartbeat(hasClock = false)) == ((5, 1000)))
    assert(set.text(Some("1")).contains("however long it is silent; rows wait in the exchange for up to 1 ms"))
    val each = within(RealTimeMode.IntervalSetting -> "0 ms")(RealTimeMode.ofSession)
    assert((each.heartbeat(hasClock = true), each.heartbeat(hasClock = false)) == ((1, 1000)))
    assert(each.text(None).contains("a watermark behind each row that raises it, which waits"))
    assert(
      RealTimeMode.Default
        .text(None)
        .contains("silent for 5 s (1 min before its first row); rows wait in the exchange for up to 50 ms")
    )
  }

  test("the first row may take longer than the others, but not less long") {
    def silences(idle: Long, first: Long) = {
      val mode = RealTimeMode.Default.copy(idleTimeout = idle, firstRowTimeout = first)
      (mode.silence(hadRow = false), mode.silence(hadRow = true), mode.text(None).replaceAll(".*, which|;.*", ""))
    }
    def waits(text: String) = s" waits for the slowest source task, $text"
    assert(silences(5, 60) == ((60, 5, waits("unless it has been silent for 5 ms (60 ms before its first row)"))))
    assert(silences(70, 60) == ((70, 70, waits("unless it has been silent for 70 ms (70 ms before its first row)"))))
    assert(silences(5, 0) == ((0, 5, waits("unless it has been silent for 5 ms since its first row"))))
    assert(silences(0, 60) == ((0, 0, waits("however long it is silent"))))
  }

  for (
    (name, bad) <- Seq(
      RealTimeMode.IntervalSetting -> "-1 ms",
      RealTimeMode.IntervalSetting -> "often",
      RealTimeMode.IdleSetting     -> "-1 s",
      RealTimeMode.FirstSetting    -> "soon",
      RealTimeMode.BytesSetting    -> "many"
    )
  ) test(s"$name of '$bad' is refused, and the line to type is right") {
    val error = intercept[IllegalArgumentException](within(name -> bad)(RealTimeMode.ofSession)).getMessage
    assert(error.contains(s"got '$bad'"), error)
    val Line             = """spark\.conf\.set\("(.*)", "(.*)"\)""".r
    val Seq(line)        = Line.findAllMatchIn(error).toSeq
    val (setting, value) = (line.group(1), line.group(2))
    assert(setting == name)
    within(setting -> value)(RealTimeMode.ofSession)
  }
}
