"""Mistakes in the figures of running queries."""

from mistakes.mutant import Mutant

FIGURES = "spark/testOnly *RunningMetricsSpec"

MUTANTS = [
    Mutant(
        0,
        "spark/metrics/QueryMetrics.scala",
        "case (name, value) if TaskCounters.OfEvents(name) =>",
        "case (name, value) if !TaskCounters.OfEvents(name) =>",
        FIGURES,
    ),
    Mutant(
        0,
        "spark/metrics/QueryMetrics.scala",
        "seen - input.delayMs",
        "seen + input.delayMs",
        FIGURES,
    ),
    Mutant(
        0,
        "spark/metrics/QueryMetrics.scala",
        "math.max(time, highest.getOrElse(i, time))",
        "math.min(time, highest.getOrElse(i, time))",
        FIGURES,
    ),
    Mutant(
        0,
        "spark/metrics/RunningMetrics.scala",
        's"spark.windowing.$name.windows"',
        's"spark.windowing.$name"',
        FIGURES,
    ),
    Mutant(
        0,
        "spark/metrics/RunningMetrics.scala",
        'made(if (isTaken) s"$name-${query.id}" else name)',
        "made(if (isTaken && name.isEmpty) query.name else name)",
        FIGURES,
    ),
]
