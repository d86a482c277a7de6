"""Mistakes in checkpoints that are written anew."""

from mistakes.mutant import Mutant

RESCALED = "spark/testOnly *RescaledCheckpointSpec"

MUTANTS = [
    Mutant(
        0,
        "spark/rescale/OperatorStore.scala",
        ".filterNot { case (_, value) => isSummary(value) }",
        ".filterNot { case (_, value) => isSummary(value) && version < 0 }",
        RESCALED,
    ),
    Mutant(0, "spark/rescale/OperatorStore.scala", '"delta" -> "snapshot"', '"delta" -> "delta"', RESCALED),
    Mutant(
        0, "spark/rescale/StateMove.scala", "if (place(key) != partition)", "if (place(key) > 99)", RESCALED
    ),
    Mutant(0, "spark/rescale/StateMove.scala", "if (found != expected)", "if (found.rows < 0)", RESCALED),
    Mutant(
        0,
        "spark/rescale/Rescale.scala",
        "if (!Try(oldLogs.lastBatch).toOption.contains(batch))",
        "if (!Option(batch).contains(batch))",
        RESCALED,
    ),
    Mutant(
        0,
        "spark/rescale/Rescale.scala",
        "    UnfinishedMark.set(to, from, conf)\n",
        "    val _ = to.getFileSystem(conf).mkdirs(to)\n",
        RESCALED,
    ),
    Mutant(0, "spark/rescale/Rescale.scala", "    newLogs.writeQueryId()\n", "", RESCALED),
    Mutant(
        0,
        "spark/rescale/CheckpointFiles.scala",
        'store.put("numPartitions", partitions)',
        'store.put("numPartitions", partitions - 1)',
        RESCALED,
    ),
    Mutant(
        0,
        "spark/operators/CheckpointCheck.scala",
        "UnfinishedMark.refusal(new Path(checkpoint), conf)",
        "UnfinishedMark.refusal(new Path(checkpoint), conf).filter(_.isEmpty)",
        RESCALED,
    ),
]
