package dev.sparkwindowing.spark.history

/** The log of Spark's sink for files, which Spark expects to have every micro-batch of a query from number 0 on. */
private[history] object FileSinkLog {

  /** Adds micro-batches without a file, if a sink is of that kind.
    *
    * @param batches
    *   how many, from number 0 on
    */
  def addEmpty(sink: AnyRef, batches: Long): Unit = if (sink.getClass.getSimpleName == "FileStreamSink") {
    val field = sink.getClass.getDeclaredField("fileLog")
    field.setAccessible(true)
    val log    = field.get(sink)
    val add    = log.getClass.getMethod("add", java.lang.Long.TYPE, classOf[Object])
    val status =
      Class.forName(s"${sink.getClass.getPackage.getName}.SinkFileStatus", true, sink.getClass.getClassLoader)
    (0L until batches).foreach(batch =>
      add.invoke(log, Long.box(batch), java.lang.reflect.Array.newInstance(status, 0))
    )
  }
}
