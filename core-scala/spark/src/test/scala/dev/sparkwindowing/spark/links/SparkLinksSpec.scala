package dev.sparkwindowing.spark.links

import dev.sparkwindowing.spark.relocated.Relocated.FlatMapGroupsWithStateExec
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.analysis.TableFunctionRegistry
import org.apache.spark.sql.catalyst.expressions.Murmur3HashFunction
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.sql.execution.{GroupedIterator, UnsafeExternalRowSorter}
import org.apache.xbean.asm9.Opcodes.{ACC_FINAL, ACC_PUBLIC, ACC_STATIC}
import org.scalatest.funsuite.AnyFunSuite

import java.io.ByteArrayInputStream

/** The link check finds what another Spark has changed, and nothing in the Spark that the jar was built with. */
class SparkLinksSpec extends AnyFunSuite {
  import SparkLinksSpec._

  private val parts = Seq(
    LinkedFeature.NativeOperator,
    LinkedFeature.CheckpointFiles,
    LinkedFeature.StartChecks,
    LinkedFeature.PerPartition,
    LinkedFeature.QuietInput,
    LinkedFeature.Clock,
    LinkedFeature.IngestionTime,
    LinkedFeature.Rescale,
    LinkedFeature.RealTime,
    LinkedFeature.TableFunctions
  )

  for (part <- parts) test(s"links with this Spark: ${part.what}") {
    assert(SparkLinks.missing(part).isEmpty)
  }

  test("a class that is not there at all is no part that links") {
    assert(SparkLinks.check(SparkLinks.fileOf).missing("dev/sparkwindowing/spark/exec/Nothing").nonEmpty)
  }

  private val operator = nameOf(classOf[FlatMapGroupsWithStateExec])

  private def missing(name: String, part: LinkedFeature = LinkedFeature.NativeOperator)(
      alter: Array[Byte] => Option[Array[Byte]]
  ): String = {
    val file = bytesOf(name)
    SparkLinks
      .check(n => if (n == name) alter(file).map(new ByteArrayInputStream(_)) else SparkLinks.fileOf(n))
      .missing(part.root)
      .getOrElse(fail(s"nothing was found where $name is another one"))
  }

  test("what only real-time mode needs may be missing for micro-batches") {
    val hash  = nameOf(Murmur3HashFunction.getClass)
    val check = SparkLinks.check(n => if (n == hash) None else SparkLinks.fileOf(n))
    assert(check.missing(LinkedFeature.RealTime.root).exists(_.contains("Murmur3HashFunction")))
    assert(check.missing(LinkedFeature.NativeOperator.root).isEmpty)
  }

  test("a final superclass") {
    val text = missing(operator)(b => Some(AlteredClass.withAccess(b)(_ | ACC_FINAL)))
    assert(text == s"${operator.replace('/', '.')} is final")
  }

  test("an overridden method that is final") {
    val text = missing(operator)(b =>
      Some(AlteredClass.withMethod(b, "withNewChildrenInternal")((n, a, d) => (n, a | ACC_FINAL, d)))
    )
    assert(text.contains("withNewChildrenInternal(") && text.endsWith("is final"))
  }

  test("an abstract method that the operator does not implement") {
    val text = missing(operator)(b => Some(AlteredClass.withAbstract(b, "ofVendor")))
    assert(text.contains(".ofVendor() is abstract, and dev.sparkwindowing.spark.exec.WindowExec does not implement it"))
  }

  test("a class that is gone or not public") {
    val sorter = nameOf(classOf[UnsafeExternalRowSorter])
    assert(missing(sorter)(_ => None) == "org.apache.spark.sql.execution.UnsafeExternalRowSorter is missing")
    assert(missing(sorter)(b => Some(AlteredClass.withAccess(b)(_ & ~ACC_PUBLIC))).endsWith("is not public"))
  }

  test("a method that is gone, has other types, or is not public") {
    val store                                                           = nameOf(classOf[StateStore])
    def changed(change: (String, Int, String) => (String, Int, String)) =
      missing(store)(b => Some(AlteredClass.withMethod(b, "remove")(change)))
    assert(changed((n, a, d) => (n + "Key", a, d)).contains("StateStore.remove(UnsafeRow"))
    assert(changed((n, a, d) => (n, a, d.replace(")V", ")I"))).endsWith("is missing"))
    assert(changed((n, a, d) => (n, a & ~ACC_PUBLIC, d)).endsWith("is not accessible"))
  }

  test("a static method that is none any more, of a class that the operator's classes in other packages call") {
    val sorter = nameOf(classOf[UnsafeExternalRowSorter])
    val text   = missing(sorter)(b => Some(AlteredClass.withMethod(b, "create")((n, a, d) => (n, a & ~ACC_STATIC, d))))
    assert(text.contains("UnsafeExternalRowSorter.create(") && text.endsWith("is not static"))
  }

  test("what only the files of a checkpoint need is missing for those") {
    val files = nameOf(dev.sparkwindowing.spark.relocated.Relocated.CheckpointFileManager.getClass)
    assert(missing(files, LinkedFeature.CheckpointFiles)(_ => None).endsWith("is missing"))
    assert(missing(nameOf(GroupedIterator.getClass))(_ => None).endsWith("GroupedIterator$ is missing"))
  }

  test("another registry of table functions, which only those of SQL need") {
    val registry = nameOf(classOf[TableFunctionRegistry])
    val text     = missing(registry, LinkedFeature.TableFunctions)(_ => None)
    assert(text.endsWith("TableFunctionRegistry is missing"))
    val extensions              = nameOf(classOf[SparkSessionExtensions])
    def renamed(b: Array[Byte]) =
      Some(AlteredClass.withMethod(b, "registerTableFunctions")((n, a, d) => (n + "OfVendor", a, d)))
    assert(missing(extensions, LinkedFeature.TableFunctions)(renamed).contains("registerTableFunctions("))
  }
}

object SparkLinksSpec {
  def nameOf(c: Class[_]): String = c.getName.replace('.', '/')

  def bytesOf(name: String): Array[Byte] = {
    val in = SparkLinks.fileOf(name).getOrElse(throw new IllegalArgumentException(s"no file of $name"))
    try org.apache.commons.io.IOUtils.toByteArray(in)
    finally in.close()
  }
}
