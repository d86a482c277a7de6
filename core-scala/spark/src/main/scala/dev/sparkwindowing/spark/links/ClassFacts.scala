package dev.sparkwindowing.spark.links

import org.apache.xbean.asm9.{ClassReader, ClassVisitor, FieldVisitor, Handle, MethodVisitor, Opcodes, Type}

import java.io.InputStream
import scala.annotation.nowarn
import scala.collection.mutable

/** A class as its file describes it: what it extends, what it declares, and what its code names.
  *
  * @param parents
  *   its superclass, then its interfaces
  * @param members
  *   access flags of its methods, by name and descriptor, and of its fields, with a colon between the two
  */
private[links] final class ClassFacts(
    val name: String,
    access: Int,
    val parents: Seq[String],
    val members: Map[String, Int],
    val named: Seq[Named]
) {
  import ClassFacts.has

  def isInterface: Boolean = has(access, Opcodes.ACC_INTERFACE)
  def isAbstract: Boolean  = has(access, Opcodes.ACC_ABSTRACT)
  def isFinal: Boolean     = has(access, Opcodes.ACC_FINAL)
  def isPublic: Boolean    = has(access, Opcodes.ACC_PUBLIC)
}

/** A class that code names, or a member of one. */
private[links] sealed trait Named {
  def owner: String
}

private[links] object Named {
  final case class Class(owner: String) extends Named

  /** @param key
    *   name and descriptor, as in `members`
    * @param isStatic
    *   whether the code uses it without an object
    * @param inInterface
    *   whether the code treats its owner as an interface; None if the code does not show it
    */
  final case class Member(owner: String, key: String, isStatic: Boolean, inInterface: Option[Boolean]) extends Named
}

private[links] object ClassFacts {

  def has(access: Int, flag: Int): Boolean = (access & flag) != 0

  /** @param withCode
    *   whether to read what the code names
    */
  def read(bytes: InputStream, withCode: Boolean): ClassFacts = {
    val reader = new Reader
    val skip   = ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES
    try new ClassReader(bytes).accept(reader, if (withCode) skip else skip | ClassReader.SKIP_CODE)
    finally bytes.close()
    reader.facts
  }

  private final class Reader extends ClassVisitor(Opcodes.ASM9) {
    private[this] var name    = ""
    private[this] var access  = 0
    private[this] var parents = Seq.empty[String]
    private[this] val members = mutable.Map.empty[String, Int]
    private[this] val named   = mutable.LinkedHashSet.empty[Named]

    def facts: ClassFacts = new ClassFacts(name, access, parents, members.toMap, named.toSeq)

    override def visit(
        v: Int,
        access: Int,
        name: String,
        sig: String,
        parent: String,
        interfaces: Array[String]
    ): Unit = {
      this.name = name
      this.access = access
      parents = Option(parent).toSeq ++ interfaces
    }

    override def visitField(access: Int, name: String, descriptor: String, sig: String, value: Any): FieldVisitor = {
      members(s"$name:$descriptor") = access
      null
    }

    override def visitMethod(
        access: Int,
        name: String,
        descriptor: String,
        sig: String,
        thrown: Array[String]
    ): MethodVisitor = {
      members(name + descriptor) = access
      new Code
    }

    private[this] def addType(t: Type): Unit = t.getSort match {
      case Type.OBJECT => named += Named.Class(t.getInternalName)
      case Type.ARRAY  => addType(t.getElementType)
      case _           => ()
    }

    private[this] def addMember(owner: String, key: String, isStatic: Boolean, inInterface: Option[Boolean]): Unit =
      if (!owner.startsWith("[")) named += Named.Member(owner, key, isStatic, inInterface)

    private[this] final class Code extends MethodVisitor(Opcodes.ASM9) {

      override def visitMethodInsn(code: Int, owner: String, name: String, descriptor: String, open: Boolean): Unit =
        addMember(owner, name + descriptor, code == Opcodes.INVOKESTATIC, Some(open))

      override def visitFieldInsn(code: Int, owner: String, name: String, descriptor: String): Unit =
        addMember(owner, s"$name:$descriptor", code == Opcodes.GETSTATIC || code == Opcodes.PUTSTATIC, None)

      override def visitTypeInsn(code: Int, name: String): Unit = addType(Type.getObjectType(name))

      override def visitLdcInsn(value: Any): Unit = value match {
        case t: Type   => addType(t)
        case h: Handle => addHandle(h)
        case _         => ()
      }

      @nowarn("cat=unused-params")
      override def visitInvokeDynamicInsn(name: String, descriptor: String, by: Handle, arguments: AnyRef*): Unit =
        arguments.foreach { case h: Handle => addHandle(h); case _ => () }

      private[this] def addHandle(h: Handle): Unit = {
        val isField  = h.getTag <= Opcodes.H_PUTSTATIC
        val isStatic =
          h.getTag == Opcodes.H_INVOKESTATIC || h.getTag == Opcodes.H_GETSTATIC || h.getTag == Opcodes.H_PUTSTATIC
        val key = h.getName + (if (isField) ":" else "") + h.getDesc
        addMember(h.getOwner, key, isStatic, if (isField) None else Some(h.isInterface))
      }
    }
  }
}
