"""Mistakes in watermarks."""

from mistakes.mutant import Mutant

MUTANTS = [
    Mutant(
        0,
        "watermarks/BoundedOutOfOrderness.scala",
        "highest - delay - 1",
        "highest - delay",
    ),
    Mutant(
        0,
        "watermarks/Idleness.scala",
        "clock() - start > timeout",
        "clock() - start >= timeout",
    ),
    Mutant(
        0,
        "watermarks/RisingWatermarks.scala",
        "      markActive()\n",
        "",
    ),
    Mutant(
        0,
        "watermarks/WatermarkValve.scala",
        "if (watermark >= last) caughtUp",
        "if (watermark > last) caughtUp",
    ),
    Mutant(
        0,
        "watermarks/WatermarkValve.scala",
        "if (watermarks(input) == last) emit(watermarks.max)",
        "emit(watermarks.max)",
    ),
    Mutant(
        0,
        "watermarks/PartitionTimes.scala",
        "filterNot(_.isIdle).map(_.highest).reduceOption(_ min _)",
        "map(_.highest).reduceOption(_ min _)",
        "engine/testOnly *PartitionTimesSpec",
    ),
    Mutant(
        0,
        "watermarks/PartitionTimes.scala",
        "timeout.exists(now - since > _)",
        "timeout.exists(now - since >= _)",
        "engine/testOnly *PartitionTimesSpec",
    ),
    Mutant(
        0,
        "watermarks/PartitionTimes.scala",
        "p => math.max(p.highest, time)",
        "_ => time",
        "engine/testOnly *PartitionTimesSpec",
    ),
    Mutant(
        0,
        "watermarks/QuietInput.scala",
        "foundNothing && last <= now)",
        "foundNothing && last <= now).map(_ => now)",
        "engine/testOnly *QuietInputSpec",
    ),
    Mutant(
        0,
        "watermarks/QuietInput.scala",
        "idle = until - since >= timeout",
        "idle = until - since > timeout",
        "engine/testOnly *QuietInputSpec",
    ),
]
