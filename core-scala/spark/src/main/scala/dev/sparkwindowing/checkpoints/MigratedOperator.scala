package dev.sparkwindowing.checkpoints

/** What [[dev.sparkwindowing.SparkWindowing.migrate]] has written of one operator.
  *
  * @param operatorId
  *   number of the operator in its query
  * @param rows
  *   rows of the state store: keys, and the pieces of large ones
  * @param bytes
  *   bytes of these rows
  * @param added
  *   aggregate functions that begin empty in the windows that are open
  * @param dropped
  *   aggregate functions whose values are no more
  */
final case class MigratedOperator(
    operatorId: Long,
    rows: Long,
    bytes: Long,
    added: Seq[String],
    dropped: Seq[String]
)
