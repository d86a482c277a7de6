package dev.sparkwindowing.spark.rows

import org.apache.spark.sql.types.DataType

/** Positions of the columns of a query's parts in its rows, known when the projection below the operator is created. */
private[sparkwindowing] final class Ordinals extends Serializable {
  var ordinals: Array[Int] = Array.emptyIntArray
}

/** Column of a part in the rows of the query.
  *
  * @param text
  *   the column as declared, equal at every start of a query
  */
private[sparkwindowing] final class BoundColumn private[sparkwindowing] (
    slots: Ordinals,
    val index: Int,
    val dataType: DataType,
    val text: String
) extends Serializable {
  def ordinal: Int = slots.ordinals(index)
}
