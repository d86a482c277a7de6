package dev.sparkwindowing.scenarios

import dev.sparkwindowing.testing.{Parts, Yaml}
import org.scalatest.funsuite.AnyFunSuite

/** The cases of tests/scenarios/arguments.yaml: which factory arguments are taken, and what the error says. */
class ArgumentsSpec extends AnyFunSuite {

  for (c <- Yaml.entries(Yaml.folder.resolve("arguments.yaml")).map(_.allow("make", "rule", "ok", "error")))
    test(s"${c("make")}: ${c.text("error").getOrElse("ok")}") {
      c.text("error") match {
        case None =>
          assert(c.flag("ok", default = false), "a case says `ok: true` or names its error")
          Parts.any(c("make"))
        case Some(text) =>
          val e = intercept[RuntimeException](Parts.any(c("make")))
          assert(e.isInstanceOf[IllegalArgumentException] || e.isInstanceOf[NullPointerException], e)
          assert(e.getMessage.contains(text))
      }
    }
}
