package dev.sparkwindowing.columns

import dev.sparkwindowing.spark.inside.StoredFields
import dev.sparkwindowing.triggers._
import org.apache.spark.sql.types.{LongType, StructField, StructType}

/** What a trigger remembers of a window, with a name each, for those who look into a checkpoint.
  *
  * @param values
  *   a struct for a row that was written with its width, else bytes
  */
private[sparkwindowing] final case class TriggerMemory(numbers: Seq[StructField], values: Seq[StructField]) {

  private def under(name: String): TriggerMemory =
    TriggerMemory(numbers.map(renamed(name, _)), values.map(renamed(name, _)))

  private def renamed(prefix: String, f: StructField): StructField = f.copy(name = s"$prefix${f.name}")
}

private[sparkwindowing] object TriggerMemory {

  /** @param rows
    *   the rows of the operator
    */
  def apply(trigger: Trigger[_], rows: StructType): TriggerMemory = trigger match {
    case _: CountTrigger                                                    => numbers(number("count"))
    case _: ContinuousEventTimeTrigger | _: ContinuousProcessingTimeTrigger => numbers(time("next_firing"))
    case _: AfterWatermark                                            => numbers(number("pending"), time("clock_timer"))
    case PurgingTrigger(nested)                                       => apply(nested, rows)
    case OnceTrigger(nested)                                          => apply(nested, rows).and(number("has_fired"))
    case ProcessingTimeoutTrigger(nested, _, _, _)                    => apply(nested, rows).and(time("timeout"))
    case AnyTrigger(parts)                                            => any(parts.map(apply(_, rows)))
    case delta: DeltaTrigger[_] if (delta.codec: Any) == KeptRowCodec =>
      TriggerMemory(Nil, Seq(StructField("last", rows)))
    case answers: AnswerTrigger =>
      val state = answers.stateSchema.fold(StoredFields.opaque("state"))(StructField("state", _))
      TriggerMemory(Nil, Seq(state, StoredFields.opaque("timers")))
    case other =>
      TriggerMemory(
        (0 until other.numbers).map(i => number(s"number_$i")),
        other.values.indices.map(i => StoredFields.opaque(s"value_$i"))
      )
  }

  private def any(parts: Seq[TriggerMemory]): TriggerMemory = {
    val named = parts.zipWithIndex.map { case (p, i) => p.under(s"${i + 1}.") }
    TriggerMemory(named.flatMap(_.numbers), named.flatMap(_.values) :+ StoredFields.opaque("timers"))
  }

  private implicit final class Extended(nested: TriggerMemory) {
    def and(number: StructField): TriggerMemory = nested.copy(numbers = nested.numbers :+ number)
  }

  private def numbers(all: StructField*): TriggerMemory = TriggerMemory(all, Nil)
  private def number(name: String): StructField         = StructField(name, LongType)
  private def time(name: String): StructField           = StoredFields.millis(name)
}
