"""Mistakes that are easily made, a file for each part of the code."""

from mistakes import checkpoints, functions, metrics, operator, pieces, spark, triggers, watermarks, windows

MUTANTS = sorted(
    (
        m
        for part in (operator, windows, pieces, checkpoints, triggers, watermarks, functions, metrics, spark)
        for m in part.MUTANTS
    ),
    key=lambda mutant: mutant.number,
)
