package dev.sparkwindowing

import org.apache.spark.sql.DataFrame

import java.time.Duration

/** Everything that most programs need, by one import:
  *
  * {{{
  * import dev.sparkwindowing.api._
  *
  * events.keyBy("user").eventTime("ts")
  *   .window(TumblingEventTimeWindows.of("5 minutes"))
  *   .aggregate(count("*").as("clicks"))
  * }}}
  *
  * It is an object rather than the package itself, whose packages `spark` and `functions` would hide, in a shell or a
  * notebook, the session `spark` and the `functions` of Spark. The names of Spark that have another meaning there, such
  * as `Trigger`, are not here either: import them from their package where you write a trigger of your own.
  */
object api {

  /** The methods of [[WindowedDataFrame]] on every DataFrame. */
  implicit def windowedDataFrame(df: DataFrame): WindowedDataFrame = new WindowedDataFrame(df)

  /** Text where a duration is expected, as [[dev.sparkwindowing.windows.Durations.of]] reads it: "5 minutes". */
  implicit def textAsDuration(text: String): Duration = if (text == null) null else windows.Durations.of(text)

  /** The entry point. */
  val SparkWindowing: dev.sparkwindowing.SparkWindowing.type = dev.sparkwindowing.SparkWindowing

  type KeyedStream    = dev.sparkwindowing.KeyedStream
  type WindowedStream = dev.sparkwindowing.WindowedStream
  type JoinedWindows  = dev.sparkwindowing.JoinedWindows

  /** Steps for [[WindowedDataFrame.simulate]]. */
  val sim: simulation.SimulationStep.type = simulation.SimulationStep

  /** Answers why a row or a window is in the results, or not. */
  val Why: dev.sparkwindowing.Why.type = dev.sparkwindowing.Why

  // Assigners
  type CalendarWindows = assigners.CalendarWindows
  val CalendarWindows: assigners.CalendarWindows.type = assigners.CalendarWindows
  type CountWindows = assigners.CountWindows
  val CountWindows: assigners.CountWindows.type = assigners.CountWindows
  type CumulativeEventTimeWindows = assigners.CumulativeEventTimeWindows
  val CumulativeEventTimeWindows: assigners.CumulativeEventTimeWindows.type = assigners.CumulativeEventTimeWindows
  type EventTimeSessionWindows = assigners.EventTimeSessionWindows
  val EventTimeSessionWindows: assigners.EventTimeSessionWindows.type = assigners.EventTimeSessionWindows
  type GlobalWindows = assigners.GlobalWindows
  val GlobalWindows: assigners.GlobalWindows.type = assigners.GlobalWindows
  type OverEventTimeWindows = assigners.OverEventTimeWindows
  val OverEventTimeWindows: assigners.OverEventTimeWindows.type = assigners.OverEventTimeWindows
  type ProcessingTimeSessionWindows = assigners.ProcessingTimeSessionWindows
  val ProcessingTimeSessionWindows: assigners.ProcessingTimeSessionWindows.type = assigners.ProcessingTimeSessionWindows
  type SlidingEventTimeWindows = assigners.SlidingEventTimeWindows
  val SlidingEventTimeWindows: assigners.SlidingEventTimeWindows.type = assigners.SlidingEventTimeWindows
  type SlidingProcessingTimeWindows = assigners.SlidingProcessingTimeWindows
  val SlidingProcessingTimeWindows: assigners.SlidingProcessingTimeWindows.type = assigners.SlidingProcessingTimeWindows
  type TumblingEventTimeWindows = assigners.TumblingEventTimeWindows
  val TumblingEventTimeWindows: assigners.TumblingEventTimeWindows.type = assigners.TumblingEventTimeWindows
  type TumblingProcessingTimeWindows = assigners.TumblingProcessingTimeWindows
  val TumblingProcessingTimeWindows: assigners.TumblingProcessingTimeWindows.type =
    assigners.TumblingProcessingTimeWindows
  type WindowStagger = assigners.WindowStagger
  val WindowStagger: assigners.WindowStagger.type = assigners.WindowStagger

  // Triggers
  val AfterWatermark: triggers.AfterWatermark.type = triggers.AfterWatermark
  type AllTrigger[E] = triggers.AllTrigger[E]
  val AllTrigger: triggers.AllTrigger.type = triggers.AllTrigger
  type AnyTrigger[E] = triggers.AnyTrigger[E]
  val AnyTrigger: triggers.AnyTrigger.type = triggers.AnyTrigger
  type ContinuousEventTimeTrigger = triggers.ContinuousEventTimeTrigger
  val ContinuousEventTimeTrigger: triggers.ContinuousEventTimeTrigger.type = triggers.ContinuousEventTimeTrigger
  type ContinuousProcessingTimeTrigger = triggers.ContinuousProcessingTimeTrigger
  val ContinuousProcessingTimeTrigger: triggers.ContinuousProcessingTimeTrigger.type =
    triggers.ContinuousProcessingTimeTrigger
  type CountTrigger = triggers.CountTrigger
  val CountTrigger: triggers.CountTrigger.type = triggers.CountTrigger
  type EndOfStreamTrigger = triggers.EndOfStreamTrigger
  val EndOfStreamTrigger: triggers.EndOfStreamTrigger.type = triggers.EndOfStreamTrigger
  type EventTimeTrigger = triggers.EventTimeTrigger
  val EventTimeTrigger: triggers.EventTimeTrigger.type = triggers.EventTimeTrigger
  type FiringInterval[E] = triggers.FiringInterval[E]
  val FiringInterval: triggers.FiringInterval.type = triggers.FiringInterval
  type MicroBatchTrigger = triggers.MicroBatchTrigger
  val MicroBatchTrigger: triggers.MicroBatchTrigger.type = triggers.MicroBatchTrigger
  type NeverTrigger = triggers.NeverTrigger
  val NeverTrigger: triggers.NeverTrigger.type = triggers.NeverTrigger
  type OnceTrigger[E] = triggers.OnceTrigger[E]
  val OnceTrigger: triggers.OnceTrigger.type = triggers.OnceTrigger
  type ProcessingTimeTrigger = triggers.ProcessingTimeTrigger
  val ProcessingTimeTrigger: triggers.ProcessingTimeTrigger.type = triggers.ProcessingTimeTrigger
  type ProcessingTimeoutTrigger[E] = triggers.ProcessingTimeoutTrigger[E]
  val ProcessingTimeoutTrigger: triggers.ProcessingTimeoutTrigger.type = triggers.ProcessingTimeoutTrigger
  type PurgingTrigger[E] = triggers.PurgingTrigger[E]
  val PurgingTrigger: triggers.PurgingTrigger.type = triggers.PurgingTrigger

  // Evictors
  type CountEvictor[E] = evictors.CountEvictor[E]
  val CountEvictor: evictors.CountEvictor.type = evictors.CountEvictor
  type TimeEvictor[E] = evictors.TimeEvictor[E]
  val TimeEvictor: evictors.TimeEvictor.type = evictors.TimeEvictor

  // Watermark strategies
  type WatermarkStrategy = watermarks.WatermarkStrategy
  val WatermarkStrategy: watermarks.WatermarkStrategy.type = watermarks.WatermarkStrategy

  // Parts and functions that are written as columns, and user-defined parts on `Row`
  type ColumnAggregateFunction = columns.ColumnAggregateFunction
  val ColumnAggregateFunction: columns.ColumnAggregateFunction.type = columns.ColumnAggregateFunction
  type ColumnAssigner = columns.ColumnAssigner
  val ColumnAssigner: columns.ColumnAssigner.type = columns.ColumnAssigner
  type ColumnDelta = columns.ColumnDelta
  val ColumnDelta: columns.ColumnDelta.type = columns.ColumnDelta
  type ColumnEvictor = columns.ColumnEvictor
  val ColumnEvictor: columns.ColumnEvictor.type = columns.ColumnEvictor
  type ColumnGap = columns.ColumnGap
  val ColumnGap: columns.ColumnGap.type = columns.ColumnGap
  type ColumnProcess = columns.ColumnProcess
  val ColumnProcess: columns.ColumnProcess.type = columns.ColumnProcess
  type ColumnReduceFunction = columns.ColumnReduceFunction
  val ColumnReduceFunction: columns.ColumnReduceFunction.type = columns.ColumnReduceFunction
  type ColumnSessionEnd = columns.ColumnSessionEnd
  val ColumnSessionEnd: columns.ColumnSessionEnd.type = columns.ColumnSessionEnd
  type ColumnState = columns.ColumnState
  val ColumnState: columns.ColumnState.type = columns.ColumnState
  type ColumnTrigger = columns.ColumnTrigger
  val ColumnTrigger: columns.ColumnTrigger.type = columns.ColumnTrigger
  type Do = columns.Do
  val Do: columns.Do.type             = columns.Do
  val RowParts: columns.RowParts.type = columns.RowParts
  type TriggerAnswer = columns.TriggerAnswer
  val TriggerAnswer: columns.TriggerAnswer.type = columns.TriggerAnswer

  // Functions on `Row`, and their outputs
  type AggregateFunction = functions.AggregateFunction
  type CoGroupFunction   = functions.CoGroupFunction
  val CoGroupFunction: functions.CoGroupFunction.type = functions.CoGroupFunction
  type Collector[T]                  = functions.Collector[T]
  type KeyedProcessFunction[K, I, O] = functions.KeyedProcessFunction[K, I, O]
  val KeyedProcessFunction: functions.KeyedProcessFunction.type = functions.KeyedProcessFunction
  type OutputTag[T] = functions.OutputTag[T]
  val OutputTag: functions.OutputTag.type = functions.OutputTag
  type ProcessWindowFunction[I, O, K] = functions.ProcessWindowFunction[I, O, K]
  val ProcessWindowFunction: functions.ProcessWindowFunction.type = functions.ProcessWindowFunction
  type ReduceFunction = functions.ReduceFunction
  type SideOutput     = functions.SideOutput
  val SideOutput: functions.SideOutput.type = functions.SideOutput
  type TimeDomain = functions.TimeDomain
  val TimeDomain: functions.TimeDomain.type = functions.TimeDomain
  type WindowFunction[I, O, K] = functions.WindowFunction[I, O, K]

  // State of functions
  type AggregatingStateDescriptor[I, A, O] = functions.AggregatingStateDescriptor[I, A, O]
  val AggregatingStateDescriptor: functions.AggregatingStateDescriptor.type = functions.AggregatingStateDescriptor
  type ListStateDescriptor[T] = functions.ListStateDescriptor[T]
  val ListStateDescriptor: functions.ListStateDescriptor.type = functions.ListStateDescriptor
  type MapStateDescriptor[K, V] = functions.MapStateDescriptor[K, V]
  val MapStateDescriptor: functions.MapStateDescriptor.type = functions.MapStateDescriptor
  type ReducingStateDescriptor[T] = functions.ReducingStateDescriptor[T]
  val ReducingStateDescriptor: functions.ReducingStateDescriptor.type = functions.ReducingStateDescriptor
  val StateCodec: functions.StateCodec.type                           = functions.StateCodec
  type ValueStateDescriptor[T] = functions.ValueStateDescriptor[T]
  val ValueStateDescriptor: functions.ValueStateDescriptor.type = functions.ValueStateDescriptor
  type ValueCodec[T] = codec.ValueCodec[T]
  val ValueCodec: codec.ValueCodec.type = codec.ValueCodec
}
