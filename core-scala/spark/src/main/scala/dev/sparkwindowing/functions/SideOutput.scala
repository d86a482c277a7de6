package dev.sparkwindowing.functions

import org.apache.spark.sql.types.StructType

/** An output beside the main one: its tag, and the columns that rows of it have. */
final case class SideOutput(tag: String, schema: StructType)
