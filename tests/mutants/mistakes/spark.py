"""Mistakes in the operator in Spark."""

from mistakes.mutant import Mutant

MUTANTS = [
    Mutant(
        0,
        "spark/task/TimerIndex.scala",
        "if (isTaken) this.version = TimerIndex.NoVersion",
        "if (isTaken) this.version = version",
        "spark/testOnly *ConsumersSpec",
    ),
    Mutant(
        0,
        "spark/plan/InputLayout.scala",
        "exactOrdinal.getOrElse(timeOrdinal)",
        "exactOrdinal.fold(timeOrdinal)(_ => timeOrdinal)",
        "spark/testOnly *RowOrderSpec",
    ),
    Mutant(
        18,
        "spark/computations/FieldReduction.scala",
        "replaced(schema, field, greatest(a(field), b(field)))",
        "by(field, true, b(field) > a(field))",
        "spark/testOnly *FieldReductionSpec",
    ),
    Mutant(
        0,
        "spark/expressions/RowFunction.scala",
        "project == null || first.numFields != width",
        "project == null",
        "spark/testOnly *ChangedInputSpec -- -z compares",
    ),
    Mutant(
        0,
        "spark/task/StoreTask.scala",
        "firedUpTo(previous, Long.MinValue)",
        "firedUpTo(batch.watermark, batch.dueProcessingTime)",
        "spark/testOnly *StateChangeSpec -- -z timers",
    ),
    Mutant(
        20,
        "spark/plan/WindowRules.scala",
        "CountTrigger.of(slide, if (onlyFull) size else 0)",
        "CountTrigger.of(slide, if (onlyFull) 0 else size)",
        "spark/testOnly *CountWindowSpec",
    ),
    Mutant(
        0,
        "spark/plan/WindowNode.scala",
        "    program.checks.copied()\n",
        "",
        "spark/testOnly *CheckpointCheckSpec -- -z changed",
    ),
    Mutant(
        0,
        "spark/checkpoint/Specification.scala",
        "Spec.Sql(k, Some(t.catalogString))",
        "Spec.Sql(k.take(0), Some(t.catalogString))",
        "spark/testOnly *StateChangeSpec -- -z keys",
    ),
    Mutant(
        0,
        "columns/RowParts.scala",
        "InnerTrigger.of(bound, spec)",
        "bound",
        "spark/testOnly *NestedPartsSpec",
    ),
    Mutant(
        0,
        "spark/task/StreamBatch.scala",
        "if (nextWatermark > watermark) nextWatermark else ",
        "",
        "spark/testOnly *WatermarkTimingSpec -- -z complete",
    ),
    Mutant(
        0,
        "spark/task/StoreTask.scala",
        "if (hasFired) batch.watermark else batch.previousWatermark",
        "if (hasFired) batch.previousWatermark else batch.previousWatermark",
        'spark/testOnly *StateChangeSpec -- -z "has fired"',
    ),
    Mutant(
        0,
        "spark/task/TimerIndex.scala",
        "if (StateRow.eventTimer(after) < StateRow.eventTimer(before))",
        "if (StateRow.eventTimer(after) > StateRow.eventTimer(before))",
        'spark/testOnly *TimerIndexSpec -- -z "earlier time"',
    ),
    Mutant(
        0,
        "spark/task/StoreTask.scala",
        "if (cell.current != null) addAgain(key)",
        "if (cell.current == null) addAgain(key)",
        "spark/testOnly *TimerIndexSpec -- -z figures",
    ),
    Mutant(
        0,
        "spark/plan/PreAggregation.scala",
        "windows.trigger.needsEachElement(windows.allowedLateness),",
        "windows.trigger.needsEachElement(0),",
        'spark/testOnly *FastPathSpec -- -z "explain says"',
    ),
]
