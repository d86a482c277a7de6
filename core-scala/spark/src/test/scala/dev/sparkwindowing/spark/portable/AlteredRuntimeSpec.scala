package dev.sparkwindowing.spark.portable

import dev.sparkwindowing.spark.links.{AlteredClass, SparkLinksSpec}
import dev.sparkwindowing.spark.relocated.Relocated.FlatMapGroupsWithStateExec
import org.apache.xbean.asm9.Opcodes.ACC_FINAL
import org.scalatest.funsuite.AnyFunSuite

import java.io.File
import java.lang.management.ManagementFactory
import java.nio.file.Files
import scala.io.Source
import scala.jdk.CollectionConverters._

/** A whole query with a restart in a runtime with a changed class, which comes first on its class path. */
class AlteredRuntimeSpec extends AnyFunSuite {

  test("where Spark's operator is final, the portable one runs and explain says why") {
    val name    = SparkLinksSpec.nameOf(classOf[FlatMapGroupsWithStateExec])
    val classes = Files.createTempDirectory("altered")
    val file    = classes.resolve(name + ".class")
    Files.createDirectories(file.getParent)
    Files.write(file, AlteredClass.withAccess(SparkLinksSpec.bytesOf(name))(_ | ACC_FINAL))
    val lines = run(classes.toFile)
    assert(lines.contains("results a [0, 10000) 3, b [0, 10000) 5"), lines)
    assert(lines.contains(s"operator: portable (${name.replace('/', '.')} is final in this Spark)"), lines)
  }

  private def run(classes: File): Seq[String] = {
    val options = ManagementFactory.getRuntimeMXBean.getInputArguments.asScala.filterNot(_.startsWith("-Xmx"))
    val path    = classes.getPath + File.pathSeparator + sys.props("java.class.path")
    val command = Seq(new File(sys.props("java.home"), "bin/java").getPath) ++ options ++
      Seq("-Xmx1g", "-cp", path, AlteredRuntime.getClass.getName.stripSuffix("$"))
    val output  = Files.createTempFile("altered", ".log").toFile
    val process = new ProcessBuilder(command.asJava).redirectErrorStream(true).redirectOutput(output).start()
    val code    = process.waitFor()
    val source  = Source.fromFile(output)
    try {
      val all = source.getLines().toList
      assert(code == 0, all.takeRight(40).mkString("\n"))
      all.collect { case line if line.startsWith(AlteredRuntime.Line) => line.stripPrefix(AlteredRuntime.Line) }
    } finally source.close()
  }
}
