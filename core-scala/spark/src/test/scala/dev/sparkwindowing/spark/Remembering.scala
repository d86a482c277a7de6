package dev.sparkwindowing.spark

import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.functions.{
  Collector,
  KeyedProcessFunction,
  ListStateDescriptor,
  MapStateDescriptor,
  ValueStateDescriptor
}
import org.apache.spark.sql.Row

/** Remembers all values, how often each came, and those since the last one below 3, in each kind of state. */
final class Remembering extends KeyedProcessFunction[Row, Row, Row] {
  private val all    = ListStateDescriptor("all", ValueCodec.long)
  private val counts = MapStateDescriptor("counts", ValueCodec.long, ValueCodec.long)
  private val text   = ValueStateDescriptor("text", ValueCodec.string)

  def processElement(row: Row, ctx: KeyedProcessFunction.Context[Row], out: Collector[Row]): Unit = {
    val value             = Long.box(row.getAs[Int]("value").toLong)
    val (list, map, last) = (ctx.state.getListState(all), ctx.state.getMapState(counts), ctx.state.getState(text))
    list.add(value)
    map.put(value, map.get(value).fold(0L)(_.longValue) + 1)
    last.update(last.value.getOrElse("") + s" $value")
    if (value % 7 == 0) map.remove(value + 1)
    if (value == 13) list.update(list.get.drop(9))
    if (value < 3) last.clear()
    if (value % 5 == 0)
      out.collect(Row(s"${list.get.mkString(" ")}; ${map.entries.mkString(" ")}; ${last.value.getOrElse("")}"))
  }

  override def toString: String = "Remembering"
}
