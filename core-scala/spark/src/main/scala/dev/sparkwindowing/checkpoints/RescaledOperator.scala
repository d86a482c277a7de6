package dev.sparkwindowing.checkpoints

/** What [[dev.sparkwindowing.SparkWindowing.rescale]] has written of one operator.
  *
  * @param operatorId
  *   number of the operator in its query
  * @param before
  *   partitions of its state in the old checkpoint
  * @param partitions
  *   those in the new one
  * @param rows
  *   rows of the state store: keys, and the pieces of large ones
  * @param bytes
  *   bytes of these rows
  * @param checksum
  *   the sum of a hash of each row, the same for both checkpoints
  */
final case class RescaledOperator(
    operatorId: Long,
    before: Int,
    partitions: Int,
    rows: Long,
    bytes: Long,
    checksum: Long
)
