package dev.sparkwindowing.spark.migrate

import dev.sparkwindowing.codec.BlockWriter
import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.spark.checkpoint.Specification
import dev.sparkwindowing.spark.computations.{ContentsFormat, TaskComputation}
import dev.sparkwindowing.spark.plan.WindowProgram
import org.apache.spark.sql.catalyst.expressions.{BoundReference, JoinedRow, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.StructType

import scala.util.matching.Regex

/** Conversion of the buffer of a window to that of other aggregates. A function keeps its values, and a new one has
  * those of a window without rows.
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
        (old.twice ++ now.twice).headOption.foreach { name =>
          throw new IllegalArgumentException(
            s"several columns in the functions are called $name, and which is which is known by their order alone: go on with " +
              "the functions as they were"
          )
        }
        for (is <- now.functions; was <- old.functions.find(_.name == is.name) if was.values != is.values)
          throw new IllegalArgumentException(
            s"${is.text} has the buffer ${was.values.mkString(", ")} in the checkpoint, and ${is.values.mkString(", ")} in the " +
              "query: no state is right for both. Cast its argument to the type that it had"
          )
        Some(
          BufferChange(
            old.size,
            fields,
            now.functions.flatMap(old.placesOf),
            emptyOf(program),
            now.without(old),
            old.without(now)
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

  /** Aggregate with its values in a buffer, as text. */
  private final case class OfFunction(text: String, values: Seq[String]) {

    /** Text without the places of its columns among those of all functions, which change with the others. */
    def name: String = Column.replaceAllIn(text, found => Regex.quoteReplacement(s"`${found.group(1)}`"))
  }

  // A column is written as its name and its order of appearance.
  private val Column = "`((?:[^`]|``)*)#(\\d+)`".r

  private final case class OfFunctions(functions: Seq[OfFunction]) {
    def size: Int = functions.map(_.values.size).sum

    /** Names that several columns have. */
    def twice: Seq[String] = functions
      .flatMap(f => Column.findAllMatchIn(f.text).map(found => found.group(1) -> found.group(2)))
      .distinct
      .groupBy(_._1)
      .collect { case (name, columns) if columns.size > 1 => name }
      .toSeq
      .sorted

    def without(others: OfFunctions): Seq[String] =
      functions.filterNot(f => others.functions.exists(_.name == f.name)).map(_.text)

    def placesOf(function: OfFunction): Seq[Int] = {
      val (first, rest) = functions.span(_.name != function.name)
      val from          = first.map(_.values.size).sum
      function.values.indices.map(i => if (rest.isEmpty) -1 else from + i)
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
            Some(
              OfFunctions(
                numbers.map(i => OfFunction(texts(i).toString, values.collect { case (`i`, value) => value }))
              )
            )
          else None
        case _ => None
      }
    }
  }
}
