package dev.sparkwindowing.testing

import org.yaml.snakeyaml.constructor.SafeConstructor
import org.yaml.snakeyaml.{LoaderOptions, Yaml => SnakeYaml}

import java.nio.file.{Files, Path, Paths}
import scala.jdk.CollectionConverters._

/** The files of tests/scenarios as plain maps and lists. */
object Yaml {

  /** The folder of the scenario files: the system property `scenarios`, which the build sets. */
  def folder: Path =
    Paths.get(sys.props.getOrElse("scenarios", throw new IllegalStateException("the property `scenarios` is not set")))

  /** The top-level list of a file, each entry a map. */
  def entries(file: Path): Seq[YamlMap] = {
    val read = new SnakeYaml(new SafeConstructor(new LoaderOptions)).load[Any](Files.readString(file))
    read match {
      case list: java.util.List[_] => list.asScala.toSeq.map(YamlMap.of(_, file.getFileName.toString))
      case _                       => throw new IllegalStateException(s"$file is not a list")
    }
  }
}

/** A map of a file, which knows where it comes from and which keys nobody asked for. */
final class YamlMap(fields: Map[String, Any], where: String) {
  def has(name: String): Boolean     = fields.contains(name)
  def get(name: String): Option[Any] = fields.get(name)
  def apply(name: String): Any       = fields.getOrElse(name, throw new IllegalStateException(s"$where: no `$name`"))
  def text(name: String): Option[String]            = get(name).map(_.toString)
  def flag(name: String, default: Boolean): Boolean = get(name).fold(default)(_ == java.lang.Boolean.TRUE)

  def maps(name: String): Seq[YamlMap] = apply(name) match {
    case list: java.util.List[_] => list.asScala.toSeq.map(YamlMap.of(_, where))
    case other                   => throw new IllegalStateException(s"$where: `$name` is not a list: $other")
  }

  /** One text or a list of texts; None if the key is absent. */
  def texts(name: String): Option[Seq[String]] = get(name).map {
    case list: java.util.List[_] => list.asScala.toSeq.map(_.toString)
    case one                     => Seq(one.toString)
  }

  /** A misspelt key must not pass as "nothing expected". */
  def allow(names: String*): this.type = {
    val unknown = fields.keySet -- names
    if (unknown.nonEmpty)
      throw new IllegalStateException(s"$where: unknown ${unknown.mkString(", ")}; allowed are ${names.mkString(", ")}")
    this
  }

  def show: String = fields.map { case (k, v) => if (v == null) k else s"$k: $v" }.mkString("{", ", ", "}")
}

object YamlMap {
  def of(value: Any, where: String): YamlMap = value match {
    case m: java.util.Map[_, _] =>
      new YamlMap(
        scala.collection.immutable.ListMap(m.asScala.toSeq.map { case (k, v) => k.toString -> v }: _*),
        where
      )
    case other => throw new IllegalStateException(s"$where: not a map: $other")
  }
}
