package dev.sparkwindowing

import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.{Files, Path, Paths}
import scala.jdk.CollectionConverters._

/** Arrows between the packages of the main sources: they go one way, and nothing below Spark's line knows Spark's. */
class PackagesSpec extends AnyFunSuite {
  import PackagesSpec._

  private val sources =
    Seq("engine", "spark").flatMap(module => scalaFiles(root.resolve(s"core-scala/$module/src/main")))

  test("no packages depend on each other in a circle") {
    val packages = sources.map(_.pkg).toSet
    val arrows   = sources.flatMap(s => s.named.filter(_ != s.pkg).map(s.pkg -> _)).toSet
    assert(packages.size > 20 && arrows.size > 60, "the sources were not found")
    circle(arrows).foreach(c => fail(c.mkString("packages in a circle: ", " -> ", "") + found(c)))
  }

  test("no more than four files of a package depend on each other in a circle") {
    val arrows = sources.groupBy(_.pkg).values.flatMap(arrowsOf).toSeq
    assert(arrows.size > 400, "the sources were not found")
    val large = circles(arrows).filter(_.size > 4)
    large.foreach { files =>
      val inside = arrows.collect {
        case (from, to) if files(from) && files(to) => s"\n  ${nameOf(from)} -> ${nameOf(to)}"
      }
      fail(s"${files.size} files in a circle:${inside.sorted.mkString}")
    }
  }

  test("files in a circle would be found") {
    val path = Paths.get("A.scala") -> Paths.get("B.scala")
    assert(circles(Seq(path)).forall(_.size == 1))
    assert(circles(Seq(path, path.swap)).exists(_.size == 2))
  }

  // Arrows between the files of a package: who names what another defines at its top.
  private def arrowsOf(files: Seq[Source]): Seq[(Path, Path)] = {
    val definedIn = files.flatMap(s => s.defined.map(_ -> s.path)).toMap
    files.flatMap(s => s.words.flatMap(definedIn.get).filter(_ != s.path).map(s.path -> _))
  }

  private def nameOf(path: Path): String = path.getFileName.toString.stripSuffix(".scala")

  test("a circle would be found, the whole way round") {
    assert(circle(Set("a" -> "b", "b" -> "c")).isEmpty)
    assert(circle(Set("a" -> "b", "b" -> "c", "c" -> "b")).contains(Seq("b", "c", "b")))
  }

  test("what moved between versions of Spark is named in the folders of those versions alone") {
    val moved =
      Seq("execution.streaming.checkpointing.", "execution.streaming.operators.", "execution.streaming.runtime.") ++
        Seq("NumericEvalContext", "TransformWithStateInPy", "spark.sql.classic.")
    val wrong = for {
      s    <- sources if !s.path.toString.contains("scala-spark-")
      name <- moved if s.text.contains(name)
    } yield s"${s.path.getFileName} names $name"
    assert(wrong.isEmpty)
  }

  // The files that make each arrow of a circle.
  private def found(circle: Seq[String]): String = circle
    .zip(circle.drop(1))
    .map { case (from, to) =>
      val files = sources.filter(s => s.pkg == from && s.named(to)).map(_.path.getFileName)
      s"\n  $from -> $to: ${files.mkString(", ")}"
    }
    .mkString
}

private object PackagesSpec {

  private val root = Paths.get(sys.props("scenarios")).resolve("../..").normalize

  final case class Source(path: Path, pkg: String, text: String) {

    /** The packages of the project that the file names something of. */
    def named: Set[String] = Name.findAllMatchIn(text).map(_.group(1)).toSet

    /** Names that the file defines at its top. */
    def defined: Set[String] = Definition.findAllMatchIn(text).map(_.group(1)).toSet

    /** Names of types and objects in its code, without its imports and texts. */
    def words: Set[String] = {
      val code = text.replaceAll("(?m)^import .*$", "").replaceAll("\"[^\"$\\n]*\"", "")
      Word.findAllIn(code).toSet
    }
  }

  private val Definition =
    """(?m)^(?:private(?:\[\w+\])? |sealed |final |abstract |case |implicit )*(?:class|object|trait|type) (\w+)""".r
  private val Word    = """\b[A-Z]\w*""".r
  private val Package = """(?m)^package ([\w.]+)""".r
  private val Name    = """(?<![\w.])(dev\.sparkwindowing(?:\.[a-z]\w*)*)\.[A-Z_{]""".r

  def scalaFiles(folder: Path): Seq[Source] = {
    val files = Files.walk(folder)
    try
      files.iterator.asScala
        .filter(_.toString.endsWith(".scala"))
        .map { path =>
          val text = Files.readString(path)
          Source(path, Package.findFirstMatchIn(text).fold("")(_.group(1)), withoutComments(text))
        }
        .toList
    finally files.close()
  }

  // Scaladoc may name what is above.
  private def withoutComments(text: String): String =
    text.replaceAll("(?s)/\\*.*?\\*/", "").replaceAll("(?m)//.*$", "").replaceAll("(?m)^package .*$", "")

  /** Sets of files of which each leads to each other. */
  def circles(arrows: Seq[(Path, Path)]): Set[Set[Path]] = {
    val next                           = arrows.groupBy(_._1).map { case (from, to) => from -> to.map(_._2).toSet }
    def reached(from: Path): Set[Path] = {
      val found                = scala.collection.mutable.Set.empty[Path]
      def go(path: Path): Unit = next.getOrElse(path, Set.empty[Path]).foreach(to => if (found.add(to)) go(to))
      go(from)
      found.toSet
    }
    val all = next.keySet.map(path => path -> reached(path)).toMap
    all.map { case (path, to) => to.filter(other => all.get(other).exists(_(path))) + path }.toSet
  }

  /** One circle, its first package again at its end. */
  def circle(arrows: Set[(String, String)]): Option[Seq[String]] = {
    val next = arrows.groupBy(_._1).map { case (from, to) => from -> to.map(_._2) }
    def from(path: Vector[String]): Option[Seq[String]] =
      next
        .getOrElse(path.last, Set.empty[String])
        .toSeq
        .sorted
        .iterator
        .flatMap { to =>
          val at = path.indexOf(to)
          if (at >= 0) Some(path.drop(at) :+ to) else if (done(to)) None else from(path :+ to)
        }
        .find(_ => true)
        .orElse { done += path.last; None }
    lazy val done = scala.collection.mutable.Set.empty[String]
    next.keys.toSeq.sorted.iterator.flatMap(k => from(Vector(k))).find(_ => true)
  }
}
