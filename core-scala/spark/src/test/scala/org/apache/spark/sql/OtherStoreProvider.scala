package org.apache.spark.sql

import org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider

/** A store of somebody else, of which nothing is known. */
class OtherStoreProvider extends HDFSBackedStateStoreProvider
