"""Mistakes in checkpoints that are written anew."""

from mistakes.mutant import Mutant

RESCALED = "spark/testOnly *RescaledCheckpointSpec"
MIGRATED = "spark/testOnly *MigrateSpec"

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
        "spark/rescale/CheckpointCopy.scala",
        "if (!Try(oldLogs.lastBatch(call)).toOption.contains(batch))",
        "if (!Option(batch).contains(batch))",
        RESCALED,
    ),
    Mutant(
        0,
        "spark/rescale/CheckpointCopy.scala",
        "    UnfinishedMark.set(to, from, call, conf)\n",
        "    val _ = to.getFileSystem(conf).mkdirs(to)\n",
        RESCALED,
    ),
    Mutant(0, "spark/rescale/CheckpointCopy.scala", "    newLogs.writeQueryId()\n", "", RESCALED),
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
    Mutant(
        0,
        "spark/migrate/BufferChange.scala",
        "project(both(old, blank)).copy().getBytes",
        "project(both(old, blank)).getBytes",
        MIGRATED,
    ),
    Mutant(0, "spark/migrate/BufferChange.scala", "was.values != is.values", "was.values.isEmpty", MIGRATED),
    Mutant(
        0,
        "spark/migrate/BufferChange.scala",
        "if (rest.isEmpty) -1 else from + i",
        "if (rest.isEmpty) -1 else from * 0 + i",
        MIGRATED,
    ),
    Mutant(
        0,
        "spark/migrate/OperatorChange.scala",
        "changes.safe.filterNot(_.isFree).flatMap(_.path.headOption).toSet",
        "changes.safe.filter(_.isFree).flatMap(_.path.headOption).toSet",
        MIGRATED,
    ),
    Mutant(
        0,
        "spark/migrate/SourcePlaces.scala",
        "numbers.distinct.size != numbers.size",
        "numbers.isEmpty",
        MIGRATED,
    ),
    Mutant(
        0,
        "spark/migrate/Migrate.scala",
        "places.map(_.flatMap(before.lift).getOrElse(BatchLogs.NoOffset))",
        "places.map(_ => before.headOption.getOrElse(BatchLogs.NoOffset))",
        MIGRATED,
    ),
    Mutant(
        0,
        "spark/portable/PortableState.scala",
        "write(new PortableState(specification, state.watermark",
        "write(new PortableState(specification * 0 + state.specification, state.watermark",
        MIGRATED,
    ),
]
