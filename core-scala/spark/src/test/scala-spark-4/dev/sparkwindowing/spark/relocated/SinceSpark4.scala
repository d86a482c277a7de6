package dev.sparkwindowing.spark.relocated

import dev.sparkwindowing.spark.Timed
import dev.sparkwindowing.spark.checkpoint.StateRow
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.functions.collate
import org.apache.spark.sql.streaming.{OutputMode, StatefulProcessor, TimeMode, TimerValues}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{
  Column,
  DataFrame,
  Encoder,
  Encoders,
  KeyValueGroupedDataset,
  SparkSession,
  SparkTestBridge
}

import java.util.UUID

/** Parts of Spark 4 that tests use, and that Spark 3.5 lacks. */
object SinceSpark4 {
  private implicit val timed: Encoder[Timed] = Encoders.product[Timed]

  /** A text whose collation takes different texts for equal. */
  def collated(text: Column): Option[Column] = Some(collate(text, "UTF8_LCASE"))

  /** Gives every row back. */
  private final class GiveBack extends StatefulProcessor[String, Timed, Timed] {
    def init(outputMode: OutputMode, timeMode: TimeMode): Unit                                    = ()
    def handleInputRows(key: String, rows: Iterator[Timed], timers: TimerValues): Iterator[Timed] = rows
  }

  /** `transformWithState` with event times, of a stream or of a static input. */
  val transformWithState: Option[(KeyValueGroupedDataset[String, Timed], Boolean) => DataFrame] =
    Some { (rows, isStreaming) =>
      if (isStreaming) rows.transformWithState(new GiveBack, "ts", OutputMode.Append())(timed).toDF()
      else rows.transformWithState(new GiveBack, TimeMode.None(), OutputMode.Append())(timed).toDF()
    }

  /** The store of a partition of the first operator in a checkpoint. */
  def stateOf(spark: SparkSession, state: String, partition: Int, keys: StructType): StateStoreProvider =
    StateStoreProvider.createAndInit(
      StateStoreProviderId(StateStoreId(state, 0, partition), UUID.randomUUID()),
      keys,
      StateRow.Schema,
      NoPrefixKeyStateEncoderSpec(keys),
      useColumnFamilies = false,
      SparkTestBridge.stateConf(spark),
      SparkTestBridge.hadoopConf(spark),
      useMultipleValuesPerKey = false,
      None
    )
}
