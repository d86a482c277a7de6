package dev.sparkwindowing.spark.plan

/** How an assigner, trigger or evictor is written down in a checkpoint: the same at every start of the query. */
private[sparkwindowing] object PartText {

  /** Its own text; the name of its class if it has none, since that of every object says where it lies in memory. */
  def of(part: Any): String = {
    val own = part.getClass.getMethod("toString").getDeclaringClass != classOf[Object]
    if (own) part.toString else part.getClass.getName
  }
}
