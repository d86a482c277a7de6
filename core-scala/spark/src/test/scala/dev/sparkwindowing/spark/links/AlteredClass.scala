package dev.sparkwindowing.spark.links

import org.apache.xbean.asm9.{ClassReader, ClassVisitor, ClassWriter, MethodVisitor, Opcodes}

/** Changes of a class file, as another Spark may have made them. */
object AlteredClass {

  /** The class with another access. */
  def withAccess(bytes: Array[Byte])(change: Int => Int): Array[Byte] = altered(bytes) { out =>
    new ClassVisitor(Opcodes.ASM9, out) {
      override def visit(v: Int, access: Int, name: String, sig: String, parent: String, above: Array[String]): Unit =
        super.visit(v, change(access), name, sig, parent, above)
    }
  }

  /** The class with the methods of a name declared otherwise. */
  def withMethod(bytes: Array[Byte], method: String)(
      change: (String, Int, String) => (String, Int, String)
  ): Array[Byte] = altered(bytes) { out =>
    new ClassVisitor(Opcodes.ASM9, out) {
      override def visitMethod(a: Int, name: String, d: String, sig: String, thrown: Array[String]): MethodVisitor =
        if (name != method) super.visitMethod(a, name, d, sig, thrown)
        else {
          val (newName, access, descriptor) = change(name, a, d)
          super.visitMethod(access, newName, descriptor, null, thrown)
        }
    }
  }

  /** The class with one more abstract method. */
  def withAbstract(bytes: Array[Byte], method: String): Array[Byte] = altered(bytes) { out =>
    new ClassVisitor(Opcodes.ASM9, out) {
      override def visitEnd(): Unit = {
        super.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_ABSTRACT, method, "()V", null, null)
        super.visitEnd()
      }
    }
  }

  private def altered(bytes: Array[Byte])(visitor: ClassVisitor => ClassVisitor): Array[Byte] = {
    val out = new ClassWriter(0)
    new ClassReader(bytes).accept(visitor(out), 0)
    out.toByteArray
  }
}
