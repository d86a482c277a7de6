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
    assert(block.head == 1 && fires.nonEmpty)
    assert(key.goesOn(block, Then: _*) == fires)
  }

  // As long as these are the versions that are written.
  for (key <- SampleKey.all)
    test(s"the same elements give the same block: ${key.name}")(
      assert(HexFormat.of.formatHex(key.after(First: _*)) == HexFormat.of.formatHex(read(key.name)._1))
    )

  for {
    (version, keys) <- Seq(2 -> SampleKey.withPieces, 3 -> SampleKey.withPages, 4 -> SampleKey.withSections)
    key             <- keys
  } {
    test(s"a block of version $version goes on: ${key.name}") {
      val (block, pieces, fires) = readWithPieces(version, key.name)
      assert(block.head == version && pieces.nonEmpty && fires.nonEmpty)
      key.pieces.stored ++= pieces
      assert(key.goesOn(block, Then: _*) == fires)
    }

    test(s"the same elements give the same block of version $version and pieces: ${key.name}") {
      val (block, pieces, _) = readWithPieces(version, key.name)
      assert(HexFormat.of.formatHex(key.after(Grown: _*)) == HexFormat.of.formatHex(block))
      assert(key.pieces.stored.map(hex).toSeq == pieces.map(hex))
    }
  }
}

/** The files; `./sbtw "engine/Test/runMain dev.sparkwindowing.state.GoldenBlocks"` writes those that are not there. */
object GoldenBlocks {
  val First: Seq[String] = Seq("a@1", "bb@3", "ccccc@14", "d@31", "e@17", "a@2")
  val Grown: Seq[String] =
    First ++ (18 to 36).map(t => s"${('a' + t - 18).toChar}$t@$t") ++ (1 to 9).map(i => s"x$i@37")
  val Then: Seq[String] = Seq("f@15", "gggggggggg@33", "h@58", "i@16")

  private def folder(version: Int) = s"blocks/v$version"

  /** The block, and what came of it. */
  def read(name: String): (Array[Byte], Seq[String]) = {
    val lines = linesOf(s"${folder(1)}/$name.txt")
    (HexFormat.of.parseHex(lines.head), lines.tail)
  }

  /** The block, its pieces by number, and what came of them. */
  def readWithPieces(version: Int, name: String): (Array[Byte], Seq[(Long, Array[Byte])], Seq[String]) = {
    val lines           = linesOf(s"${folder(version)}/$name.txt")
    val (pieces, fires) = lines.tail.span(_.startsWith("piece "))
    val numbered        = pieces.map(_.split(' ')).map(p => p(1).toLong -> HexFormat.of.parseHex(p(2)))
    (HexFormat.of.parseHex(lines.head), numbered, fires)
  }

  def hex(piece: (Long, Array[Byte])): String = s"piece ${piece._1} ${HexFormat.of.formatHex(piece._2)}"

  private def linesOf(resource: String): Seq[String] = {
    val in = getClass.getClassLoader.getResourceAsStream(resource)
    try new String(in.readAllBytes(), UTF_8).linesIterator.toSeq
    finally in.close()
  }

  def main(args: Array[String]): Unit = {
    SampleKey.all.foreach(write(folder(1), _, First))
    SampleKey.withPieces.foreach(write(folder(2), _, Grown))
    SampleKey.withPages.foreach(write(folder(3), _, Grown))
    SampleKey.withSections.foreach(write(folder(4), _, Grown))
  }

  private def write(folder: String, key: SampleKey, elements: Seq[String]): Unit = {
    val file: Path = Paths.get("src/test/resources", folder, s"${key.name}.txt")
    if (!Files.exists(file)) {
      Files.createDirectories(file.getParent)
      val block  = key.after(elements: _*)
      val pieces = if (key.pieces == null) Nil else key.pieces.stored.map(hex).toSeq
      val lines  = (HexFormat.of.formatHex(block) +: pieces) ++ key.goesOn(block, Then: _*)
      Files.write(file, lines.mkString("", "\n", "\n").getBytes(UTF_8))
    }
  }
}
