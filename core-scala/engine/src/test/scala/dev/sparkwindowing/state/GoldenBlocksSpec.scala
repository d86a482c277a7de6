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

  for (key <- SampleKey.withPieces) test(s"a block of version 2 goes on: ${key.name}") {
    val (block, pieces, fires) = readWithPieces(key.name)
    assert(block.head == 2 && pieces.nonEmpty && fires.nonEmpty)
    key.pieces.stored ++= pieces
    assert(key.goesOn(block, Then: _*) == fires)
  }

  for (key <- SampleKey.withPieces) test(s"the same elements give the same block and pieces: ${key.name}") {
    val (block, pieces, _) = readWithPieces(key.name)
    assert(HexFormat.of.formatHex(key.after(Grown: _*)) == HexFormat.of.formatHex(block))
    assert(key.pieces.stored.map(hex).toSeq == pieces.map(hex))
  }
}

/** The files; `./sbtw "engine/Test/runMain dev.sparkwindowing.state.GoldenBlocks"` writes those that are not there. */
object GoldenBlocks {
  val First: Seq[String] = Seq("a@1", "bb@3", "ccccc@14", "d@31", "e@17", "a@2")
  val Grown: Seq[String] =
    First ++ (18 to 36).map(t => s"${('a' + t - 18).toChar}$t@$t") ++ (1 to 9).map(i => s"x$i@37")
  val Then: Seq[String] = Seq("f@15", "gggggggggg@33", "h@58", "i@16")

  private val Folder           = "blocks/v1"
  private val FolderWithPieces = "blocks/v2"

  /** The block, and what came of it. */
  def read(name: String): (Array[Byte], Seq[String]) = {
    val lines = linesOf(s"$Folder/$name.txt")
    (HexFormat.of.parseHex(lines.head), lines.tail)
  }

  /** The block, its pieces by number, and what came of them. */
  def readWithPieces(name: String): (Array[Byte], Seq[(Long, Array[Byte])], Seq[String]) = {
    val lines           = linesOf(s"$FolderWithPieces/$name.txt")
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
    SampleKey.all.foreach(write(Folder, _, First))
    SampleKey.withPieces.foreach(write(FolderWithPieces, _, Grown))
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
