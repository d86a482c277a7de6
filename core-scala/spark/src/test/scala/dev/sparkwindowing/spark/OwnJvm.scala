package dev.sparkwindowing.spark

import org.scalatest.Assertions.assert

import java.io.File
import java.lang.management.ManagementFactory
import java.nio.file.Files
import scala.io.Source
import scala.jdk.CollectionConverters._

/** A program in a JVM of its own, with the options of this one. It prints lines for the test that starts it. */
object OwnJvm {

  /** Begin of a line for the test. */
  private val Line = "for the test: "

  /** Prints a line for the test. */
  def say(text: String): Unit = println(Line + text)

  /** Runs a program to its end; returns its lines for the test.
    *
    * @param main
    *   the object with its `main`
    * @param heap
    *   its greatest heap, such as 1g
    * @param first
    *   a folder of classes that come before all others
    */
  def run(main: AnyRef, heap: String, first: Option[File] = None): Seq[String] = {
    val options = ManagementFactory.getRuntimeMXBean.getInputArguments.asScala.filterNot(_.startsWith("-Xmx"))
    val path    = (first.map(_.getPath).toSeq :+ sys.props("java.class.path")).mkString(File.pathSeparator)
    val command = Seq(new File(sys.props("java.home"), "bin/java").getPath) ++ options ++
      Seq(s"-Xmx$heap", "-cp", path, main.getClass.getName.stripSuffix("$"))
    val output  = Files.createTempFile("own-jvm", ".log").toFile
    val process = new ProcessBuilder(command.asJava).redirectErrorStream(true).redirectOutput(output).start()
    val code    = process.waitFor()
    val source  = Source.fromFile(output)
    try {
      val all = source.getLines().toList
      assert(code == 0, all.takeRight(40).mkString("\n"))
      all.collect { case line if line.startsWith(Line) => line.stripPrefix(Line) }
    } finally source.close()
  }
}
