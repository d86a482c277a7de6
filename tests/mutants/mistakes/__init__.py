"""Mistakes that are easily made, a file for each part of the code."""

from mistakes import functions, operator, spark, triggers, watermarks, windows

MUTANTS = sorted(
    (m for part in (operator, windows, triggers, watermarks, functions, spark) for m in part.MUTANTS),
    key=lambda mutant: mutant.number,
)
