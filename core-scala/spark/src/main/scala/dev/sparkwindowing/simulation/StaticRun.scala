package dev.sparkwindowing.simulation

import dev.sparkwindowing.spark.plan.WindowProgram
import dev.sparkwindowing.spark.task.{ProgramInTask, WindowTask}
import dev.sparkwindowing.state.WindowView
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection

import scala.collection.mutable

/** The rows of one key of a static DataFrame through the operator, as in a job, with a record.
  *
  * @param rows
  *   in the order in which the job takes them; columns behind those of the program do not matter
  * @param lastTime
  *   time after which no window without rows starts
  */
private[simulation] final class StaticRun(program: WindowProgram, rows: Seq[InternalRow], lastTime: Long) {
  private[this] val types  = program.input.types
  private[this] val toKey  = UnsafeProjection.create(types.take(program.input.keyCount))
  private[this] val record = new Trace
  private[this] val notes  = mutable.HashMap.empty[Int, ElementNote]

  def why(text: WhyText): WhyOfRun = {
    if (rows.nonEmpty) run(UnsafeProjection.create(types), toKey(rows.head).copy())
    new WhyOfRun(program, record, notes.toMap, behind, Nil, isStatic = true, text)
  }

  private[this] def run(laidOut: UnsafeProjection, key: InternalRow): Unit = {
    val task  = new WindowTask(new ProgramInTask(program, types.length), rowsFirst = false, record.watching(() => key))
    val taken = rows.iterator.zipWithIndex.map { case (row, number) =>
      val of   = laidOut(row).copy()
      val note = ElementNote.of(program, record, key, of, Long.MinValue, Long.MinValue)
      notes(number) = note
      record.took(key, note.time)
      of
    }
    record.begin()
    task.runBounded(key, taken, lastTime).foreach(_ => ())
  }

  private[this] val behind = new RunEnd {
    val watermark: Long                          = Long.MaxValue
    def views(key: InternalRow): Seq[WindowView] = Nil
    def ownKey(key: InternalRow): InternalRow    = toKey(key).copy()
  }
}
