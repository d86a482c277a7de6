package dev.sparkwindowing.bench

/** Checks that both hosts do the same work: `./sbtw "bench/runMain dev.sparkwindowing.bench.SameWork"`.
  *
  * A round fires what the round before left open and leaves its own last windows to the next, so that from the second
  * round on the numbers of firings agree.
  */
object SameWork {

  def main(args: Array[String]): Unit = {
    val flink = new FlinkBench
    flink.up()
    val flinks = Seq.fill(3)((flink.tumblingSum(), flink.sessionSum())).drop(1)
    flink.down()
    Seq(1, 10, 100).foreach { rows =>
      val engine = new EngineBench
      engine.rowsPerKeyAndBatch = rows
      engine.up()
      val engines = Seq.fill(3)((engine.tumblingSum(), engine.sessionSum())).drop(1)
      if (engines != flinks)
        throw new IllegalStateException(s"$rows rows a key and batch: $engines windows fired, Flink fired $flinks")
    }
  }
}
