package dev.sparkwindowing.spark.migrate

import dev.sparkwindowing.codec.BlockWriter
import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.spark.checkpoint.Specification
import dev.sparkwindowing.spark.computations.{ContentsFormat, TaskComputation}
import dev.sparkwindowing.spark.plan.WindowProgram
import org.apache.spark.sql.catalyst.expressions.{BoundReference, JoinedRow, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.StructType

/** How the buffer of a window is made from that of other aggregates: the values of each function from those that it
  * had, of a new one as in a window without rows.
  *
  * @param before
  *   number of values of the old buffer
  * @param places
  *   for each value of the new one its place in the old one, -1 if its function is new
  * @param empty
  *   the new buffer of a window without rows
  * @param added
  *   the functions that are new
  * @param dropped
  *   those that are no more
  */
private[migrate] final case class BufferChange(
    before: Int,
    after: StructType,
    places: Seq[Int],
    empty: Array[Byte],
    added: Seq[String],
    dropped: Seq[String]
) {

  /** The conversion, for one task. */
  def inTask(): Array[Byte] => Array[Byte] = {
    val old     = new UnsafeRow(before)
    val blank   = new UnsafeRow(after.length)
    val both    = new JoinedRow
    val project = UnsafeProjection.create(places.zipWithIndex.map { case (place, i) =>
      BoundReference(if (place < 0) before + i else place, after(i).dataType, nullable = true)
    })
    blank.pointTo(empty, empty.length)
    bytes => {
      old.pointTo(bytes, bytes.length)
      project(both(old, blank)).copy().getBytes // the projection uses its row again
    }
  }
}

private[migrate] object BufferChange {

  /** @param before
    *   specification of the query that wrote the state
    * @return
    *   None if these are not both buffers of aggregates
    * @throws java.lang.IllegalArgumentException
    *   if a function has another buffer than it had
    */
  def between(before: PartSpec, after: PartSpec, program: WindowProgram): Option[BufferChange] =
    (program.keptContents, OfFunctions.of(before), OfFunctions.of(after)) match {
      case (ContentsFormat.Buffer(fields), Some(old), Some(now)) if now.size == fields.length =>
        now.functions.foreach { case (text, buffer) =>
          old.functions.find(_._1 == text).filter(_._2 != buffer).foreach { case (_, was) =>
            throw new IllegalArgumentException(
              s"$text has the buffer ${was.mkString(", ")} in the checkpoint, and ${buffer.mkString(", ")} in the query: no " +
                "state is right for both. Cast its argument to the type that it had"
            )
          }
        }
        val places                 = now.functions.flatMap { case (text, buffer) => old.placesOf(text, buffer.size) }
        def texts(of: OfFunctions) = of.functions.map(_._1)
        Some(
          BufferChange(
            old.size,
            fields,
            places,
            emptyOf(program),
            texts(now).diff(texts(old)),
            texts(old).diff(texts(now))
          )
        )
      case _ => None
    }

  private def emptyOf(program: WindowProgram): Array[Byte] =
    program.computation.inTask(program.input.argumentOrdinals, program.input.types.length) match {
      case task: TaskComputation[_] => written(task)
      case other                    => throw new IllegalStateException(s"$other has no buffer")
    }

  private def written[C <: AnyRef](task: TaskComputation[C]): Array[Byte] = {
    val out = new BlockWriter
    task.contents.write(task.contents.empty(), out)
    out.toBytes
  }

  /** Aggregates with what is stored of each.
    *
    * @param functions
    *   text, and each of its values as text, in order
    */
  private final case class OfFunctions(functions: Seq[(String, Seq[String])]) {
    def size: Int = functions.map(_._2.size).sum

    def placesOf(text: String, size: Int): Seq[Int] = {
      val (first, rest) = functions.span(_._1 != text)
      val from          = first.map(_._2.size).sum
      Seq.tabulate(size)(i => if (rest.isEmpty) -1 else from + i)
    }
  }

  private object OfFunctions {
    // Values are called by the number of their function.
    private val Value = """(\d+)_(.*)""".r

    def of(specification: PartSpec): Option[OfFunctions] = {
      val arguments = specification.arguments.toMap
      (arguments.get(Specification.Functions), arguments.get(Specification.Buffer)) match {
        case (Some(Spec.Items(texts)), Some(Spec.Text(buffer))) =>
          val values = buffer.stripPrefix("struct<").stripSuffix(">").split(",(?=\\d+_)").toSeq.collect {
            case Value(number, value) => number.toInt -> value
          }
          val numbers = values.map(_._1).distinct
          if (numbers == texts.indices.take(numbers.size) && numbers.nonEmpty)
            Some(OfFunctions(numbers.map(i => texts(i).toString -> values.collect { case (`i`, value) => value })))
          else None
        case _ => None
      }
    }
  }
}
