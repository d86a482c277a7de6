package dev.sparkwindowing.simulation

import dev.sparkwindowing.spark.plan.WindowProgram
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}

/** A key that is asked for. */
private[simulation] object WhyKey {

  /** @param key
    *   values of the key columns, as a `Row` holds them
    * @throws java.lang.IllegalArgumentException
    *   if it is of another size
    */
  def of(program: WindowProgram, key: Seq[Any]): InternalRow = {
    val types = program.output.keys.map(_.dataType)
    if (key.size != types.size)
      throw new IllegalArgumentException(s"the key has ${types.size} columns, got ${key.size} values")
    val constant = program.input.types.slice(types.size, program.input.keyCount).map(_ => 0)
    InternalRow.fromSeq(
      key.zip(types).map { case (value, t) => CatalystTypeConverters.createToCatalystConverter(t)(value) } ++ constant
    )
  }
}
