package dev.sparkwindowing.functions

import org.apache.spark.sql.types.StructType

/** Side output: its tag, and the columns of its rows. */
final case class SideOutput(tag: String, schema: StructType)
