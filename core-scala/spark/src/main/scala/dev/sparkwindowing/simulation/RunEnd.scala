package dev.sparkwindowing.simulation

import dev.sparkwindowing.state.WindowView
import org.apache.spark.sql.catalyst.InternalRow

/** State of a run behind its last step. */
private[simulation] trait RunEnd {

  /** The watermark, `Long.MinValue` if there was none. */
  def watermark: Long

  /** The state of the windows of a key, none if it has no state. */
  def views(key: InternalRow): Seq[WindowView]

  /** A key in the form of the record. */
  def ownKey(key: InternalRow): InternalRow
}
