package dev.sparkwindowing.state

import org.scalatest.funsuite.AnyFunSuite

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}
import java.util.HexFormat

/** Blocks that earlier builds wrote, each in a file of its own with what came of it then: every later build reads them
  * and goes on in the same way.
  */
class GoldenBlocksSpec extends AnyFunSuite {
  import GoldenBlocks._

  for (key <- SampleKey.all) test(s"a block of version 1 goes on: ${key.name}") {
    val (block, fires) = read(key.name)
    assert(fires.nonEmpty)
    assert(key.goesOn(block, Then: _*) == fires)
  }

  // As long as this is the version that is written.
  for (key <- SampleKey.all) test(s"the same elements give the same block: ${key.name}") {
    assert(KeyStateCodec.Version == 1)
    assert(HexFormat.of.formatHex(key.after(First: _*)) == HexFormat.of.formatHex(read(key.name)._1))
  }
}

/** The files; `./sbtw "engine/Test/runMain dev.sparkwindowing.state.GoldenBlocks"` writes those that are not there. */
object GoldenBlocks {
  val First: Seq[String] = Seq("a@1", "bb@3", "ccccc@14", "d@31", "e@17", "a@2")
  val Then: Seq[String]  = Seq("f@15", "gggggggggg@33", "h@58", "i@16")

  private val Folder = "blocks/v1"

  def read(name: String): (Array[Byte], Seq[String]) = {
    val in    = getClass.getClassLoader.getResourceAsStream(s"$Folder/$name.txt")
    val lines = new String(in.readAllBytes(), UTF_8).linesIterator.toSeq
    in.close()
    (HexFormat.of.parseHex(lines.head), lines.tail)
  }

  def main(args: Array[String]): Unit = SampleKey.all.foreach { key =>
    val file: Path = Paths.get("src/test/resources", Folder, s"${key.name}.txt")
    if (!Files.exists(file)) {
      Files.createDirectories(file.getParent)
      val block = key.after(First: _*)
      val lines = HexFormat.of.formatHex(block) +: key.goesOn(block, Then: _*)
      Files.write(file, lines.mkString("", "\n", "\n").getBytes(UTF_8))
    }
  }
}
