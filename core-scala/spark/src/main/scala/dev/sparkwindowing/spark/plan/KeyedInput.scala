package dev.sparkwindowing.spark.plan

import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.{DataFrame, SparkWindowingBridge}

/** DataFrame with its keys and event time, the input of an operator.
  *
  * @param hidesKeys
  *   whether a result omits the keys because they are one constant
  * @param time
  *   the event time as declared; None for the column that has a watermark
  * @param retracts
  *   true for a row that takes back an earlier equal one; None if no row does
  */
private[sparkwindowing] final case class KeyedInput(
    df: DataFrame,
    keys: Seq[NamedExpression],
    hidesKeys: Boolean,
    time: Option[NamedExpression],
    onMissingTime: MissingTime,
    retracts: Option[NamedExpression] = None
) {

  /** Key columns of a result. */
  def keyFields: Seq[StructField] =
    if (hidesKeys) Nil else keys.map(k => StructField(k.name, k.dataType, nullable = true, k.metadata))

  /** The event time, if the stream has one. */
  def eventTime: Option[EventTimeColumn] = {
    val plan = SparkWindowingBridge.analyzedPlan(df)
    time.map(EventTimeColumn.named(plan, _)).orElse(EventTimeColumn.marked(plan))
  }
}
