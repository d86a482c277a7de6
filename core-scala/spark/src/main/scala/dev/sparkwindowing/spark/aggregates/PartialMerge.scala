package dev.sparkwindowing.spark.aggregates

import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.functions.SideOutput
import dev.sparkwindowing.spark.functions.{Computation, ContentsFormat}
import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.types.StructType

/** The same aggregates over rows that are serialized buffers: each row of the operator stands for several rows that
  * were aggregated before the exchange. State and results are the same.
  */
private[sparkwindowing] final class PartialMerge(of: SqlAggregates) extends Computation {
  def arguments: Seq[NamedExpression]       = of.arguments
  def schema: StructType                    = of.schema
  override def sideOutputs: Seq[SideOutput] = of.sideOutputs
  def specs: Seq[Spec]                      = of.specs
  def stateSchema: StructType               = of.stateSchema
  def keptContents: ContentsFormat          = of.keptContents
  def isOrderInsensitive: Boolean           = of.isOrderInsensitive
  override def isReusable: Boolean          = of.isReusable

  /** @param ordinals the consecutive positions of the buffer's slots */
  def inTask(ordinals: Array[Int], fields: Int): AggregateContents =
    new AggregateContents(of, BufferInput.written(ordinals.head))
}
