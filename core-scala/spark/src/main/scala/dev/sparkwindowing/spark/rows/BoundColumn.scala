package dev.sparkwindowing.spark.rows

import org.apache.spark.sql.types.DataType

/** Where the columns of the parts of a query lie in its rows: known when the projection below the operator is made. */
private[sparkwindowing] final class Ordinals extends Serializable {
  var ordinals: Array[Int] = Array.emptyIntArray
}

/** A column of a part in the rows of the query.
  *
  * @param text
  *   the column as it was written, equal at every start of a query
  */
private[sparkwindowing] final class BoundColumn private[sparkwindowing] (
    slots: Ordinals,
    val index: Int,
    val dataType: DataType,
    val text: String
) extends Serializable {
  def ordinal: Int = slots.ordinals(index)
}
