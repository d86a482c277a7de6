package dev.sparkwindowing.spark.portable

import dev.sparkwindowing.spark.OwnJvm
import dev.sparkwindowing.spark.links.{AlteredClass, SparkLinksSpec}
import dev.sparkwindowing.spark.relocated.Relocated.FlatMapGroupsWithStateExec
import org.apache.xbean.asm9.Opcodes.ACC_FINAL
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow

import java.nio.file.Files

/** A whole query with a restart in a runtime with a changed class, which comes first on its class path. */
@Slow
class AlteredRuntimeSpec extends AnyFunSuite {

  test("where Spark's operator is final, the portable one runs and explain says why") {
    val name    = SparkLinksSpec.nameOf(classOf[FlatMapGroupsWithStateExec])
    val classes = Files.createTempDirectory("altered")
    val file    = classes.resolve(name + ".class")
    Files.createDirectories(file.getParent)
    Files.write(file, AlteredClass.withAccess(SparkLinksSpec.bytesOf(name))(_ | ACC_FINAL))
    val lines = OwnJvm.run(AlteredRuntime, heap = "1g", first = Some(classes.toFile))
    assert(lines.contains("results a [0, 10000) 3, b [0, 10000) 5"), lines)
    assert(lines.contains(s"operator: portable (${name.replace('/', '.')} is final in this Spark)"), lines)
  }
}
