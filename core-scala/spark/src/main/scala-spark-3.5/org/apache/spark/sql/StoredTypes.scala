package org.apache.spark.sql

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.execution.streaming.state.{StateSchemaCompatibilityChecker, StateStoreProviderId}
import org.apache.spark.sql.types.StructType

/** Types of the rows in a state store, which only Spark's own packages can read in Spark 3.5. */
object StoredTypes {

  /** The types of keys and of values, as the query that wrote them had them. */
  def of(store: StateStoreProviderId, conf: Configuration): (StructType, StructType) =
    new StateSchemaCompatibilityChecker(store, conf).readSchemaFile()
}
