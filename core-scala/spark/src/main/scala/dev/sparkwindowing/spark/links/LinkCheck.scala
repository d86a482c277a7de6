package dev.sparkwindowing.spark.links

import org.apache.xbean.asm9.{Opcodes, Type}

import java.io.InputStream
import scala.annotation.tailrec
import scala.collection.mutable

/** Looks up every member of Spark that a class of this library needs in the Spark that is there, as the JVM does when
  * it links them: by name, types, flags and access. Also what the JVM finds only when it loads a class: a superclass or
  * an overridden method that is final, and an abstract method without implementation.
  *
  * @param classFile
  *   the file of a class by its internal name, None if there is none
  * @param isFollowed
  *   whether the check that begins at the first class also checks the second, of this library, which is named by a
  *   checked one
  */
private[links] final class LinkCheck(
    classFile: String => Option[InputStream],
    isFollowed: (String, String) => Boolean
) {
  import ClassFacts.has

  private[this] val known = mutable.Map.empty[String, Option[ClassFacts]]
  private[this] val above = mutable.Map.empty[String, Seq[ClassFacts]]

  /** The first thing that is missing, as a text; None if all is there.
    *
    * @param root
    *   internal name of a class of this library
    */
  def missing(root: String): Option[String] = walk(root, List(root), Set(root))

  @tailrec
  private[this] def walk(root: String, left: List[String], seen: Set[String]): Option[String] = left match {
    case Nil            => None
    case name :: others =>
      facts(name) match {
        case None       => Some(s"${shown(name)} is missing")
        case Some(ours) =>
          val problem = problems(ours).find(_ => true)
          if (problem.nonEmpty) problem
          else {
            val more =
              (ours.parents ++ ours.named.map(_.owner)).distinct.filter(n => isFollowed(root, n) && !seen(n)).toList
            walk(root, others ++ more, seen ++ more)
          }
      }
  }

  private[this] def problems(ours: ClassFacts): Iterator[String] =
    ours.parents.iterator.filter(isSpark).flatMap(ofParent(ours, _)) ++
      overridden(ours) ++
      (if (ours.isAbstract) Iterator.empty else unimplemented(ours)) ++
      ours.named.iterator.flatMap(ofNamed(ours, _))

  private[this] def ofParent(ours: ClassFacts, name: String): Option[String] = facts(name) match {
    case None                                                    => Some(s"${shown(name)} is missing")
    case Some(p) if p.isFinal                                    => Some(s"${shown(name)} is final")
    case Some(p) if p.isInterface == (name == ours.parents.head) => Some(s"${shown(name)} is ${kind(p.isInterface)}")
    case _                                                       => None
  }

  private[this] def overridden(ours: ClassFacts): Iterator[String] = for {
    (key, access) <- ours.members.iterator
    if isMethod(key) && isVirtual(key, access)
    parent <- ancestors(ours).iterator
    if isSpark(parent.name)
    found <- parent.members.get(key)
    if !has(found, Opcodes.ACC_PRIVATE)
    problem <-
      if (has(found, Opcodes.ACC_FINAL)) Some("is final")
      else if (has(found, Opcodes.ACC_STATIC)) Some("is static")
      else None
  } yield s"${member(parent.name, key)} $problem"

  private[this] def unimplemented(ours: ClassFacts): Iterator[String] = {
    val all                     = ours +: ancestors(ours)
    val (interfaces, classes)   = all.partition(_.isInterface)
    def isBody(access: Int)     = !has(access, Opcodes.ACC_ABSTRACT)
    def implements(key: String) =
      (classes ++ interfaces).exists(_.members.get(key).exists(access => isBody(access) && isVirtual(key, access)))
    for {
      parent <- all.iterator
      if isSpark(parent.name)
      (key, access) <- parent.members.iterator
      if has(access, Opcodes.ACC_ABSTRACT) && !implements(key)
    } yield s"${member(parent.name, key)} is abstract, and ${shown(ours.name)} does not implement it"
  }

  private[this] def ofNamed(ours: ClassFacts, named: Named): Option[String] = {
    val owner = facts(named.owner)
    if (owner.isEmpty) if (isSpark(named.owner)) Some(s"${shown(named.owner)} is missing") else None
    else
      named match {
        case _ if isSpark(named.owner) && !owner.exists(isVisible(_, ours)) =>
          Some(s"${shown(named.owner)} is not public")
        case Named.Class(_)              => None
        case _ if !owner.exists(reaches) => None
        case m: Named.Member             =>
          resolved(owner.get, m.key) match {
            case None if isWhole(owner.get) => Some(s"${member(m.owner, m.key)} is missing")
            case None                       => None
            case Some((by, access))         => if (isSpark(by.name)) ofMember(ours, owner.get, m, by, access) else None
          }
      }
  }

  private[this] def ofMember(
      ours: ClassFacts,
      owner: ClassFacts,
      m: Named.Member,
      by: ClassFacts,
      access: Int
  ): Option[String] = {
    val isClosed = has(access, Opcodes.ACC_PRIVATE) ||
      !has(access, Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED) && packageOf(by.name) != packageOf(ours.name)
    val problem =
      if (has(access, Opcodes.ACC_STATIC) != m.isStatic) Some(if (m.isStatic) "is not static" else "is static")
      else if (isClosed) Some("is not accessible")
      else if (m.inInterface.exists(_ != owner.isInterface)) Some(s"is in ${kind(owner.isInterface)}")
      else None
    problem.map(p => s"${member(by.name, m.key)} $p")
  }

  // True if Spark is among what the members of the class come from.
  private[this] def reaches(owner: ClassFacts): Boolean =
    isSpark(owner.name) || ancestors(owner).exists(p => isSpark(p.name))

  // True if the files of all classes were found that a member may come from.
  private[this] def isWhole(owner: ClassFacts): Boolean =
    (owner +: ancestors(owner)).forall(_.parents.forall(p => facts(p).nonEmpty))

  private[this] def resolved(owner: ClassFacts, key: String): Option[(ClassFacts, Int)] =
    (owner +: ancestors(owner)).collectFirst { case c if c.members.contains(key) => c -> c.members(key) }

  // Superclasses first, as the JVM looks members up.
  private[this] def ancestors(of: ClassFacts): Seq[ClassFacts] = above.getOrElse(
    of.name, {
      val all = of.parents.flatMap(facts(_)).flatMap(p => p +: ancestors(p)).distinct.sortBy(_.isInterface)
      above(of.name) = all
      all
    }
  )

  private[this] def isVisible(c: ClassFacts, from: ClassFacts): Boolean =
    c.isPublic || packageOf(c.name) == packageOf(from.name)

  private[this] def facts(name: String): Option[ClassFacts] =
    known.getOrElseUpdate(name, classFile(name).map(ClassFacts.read(_, withCode = LinkCheck.isOurs(name))))

  private[this] def isSpark(name: String): Boolean = name.startsWith("org/apache/spark/") && !LinkCheck.isOurs(name)

  private[this] def isMethod(key: String): Boolean = key.contains("(")

  private[this] def isVirtual(key: String, access: Int): Boolean =
    !has(access, Opcodes.ACC_STATIC | Opcodes.ACC_PRIVATE) && !key.startsWith("<")

  private[this] def packageOf(name: String): String = name.take(name.lastIndexOf('/'))

  private[this] def kind(isInterface: Boolean): String = if (isInterface) "an interface" else "a class"

  private[this] def shown(name: String): String = name.replace('/', '.')

  private[this] def member(owner: String, key: String): String = {
    val at = key.indexOf('(')
    if (at < 0) s"${shown(owner)}.${key.takeWhile(_ != ':')}"
    else {
      val types = Type.getArgumentTypes(key.drop(at)).map(_.getClassName.split('.').last)
      s"${shown(owner)}.${key.take(at)}(${types.mkString(", ")})"
    }
  }
}

private[links] object LinkCheck {

  // Classes of this library in Spark's package, which see what is private there.
  private val InSpark =
    Seq(
      "SparkWindowingBridge",
      "SparkWindowingTables",
      "WindowMetricsSource",
      "WindowsTab",
      "WindowsPage",
      "ClassicApi",
      "StoredTypes"
    ).map("org/apache/spark/sql/" + _)

  /** True for a class of this library. */
  def isOurs(name: String): Boolean =
    name.startsWith("dev/sparkwindowing/") || InSpark.exists(c => name == c || name.startsWith(c + "$"))
}
