"""Mistakes in the bounds of windows and in evictors."""

from mistakes.mutant import Mutant

MUTANTS = [
    Mutant(11, "evictors/DeltaEvictor.scala", ">= threshold)", "> threshold)"),
    Mutant(11, "evictors/DeltaEvictor.scala", "elements(elements.size - 1)", "elements(0)"),
    Mutant(
        12,
        "contents/ElementList.scala",
        "= timestamp(position) <= time",
        "= timestamp(position) < time",
    ),
    Mutant(
        12,
        "evictors/TimeEvictor.scala",
        "elements.greatestTimestamp - size",
        "elements.greatestTimestamp - size - 1",
    ),
    Mutant(
        14,
        "assigners/GlobalWindows.scala",
        "def isEventTime: Boolean         = false",
        "def isEventTime: Boolean         = true",
    ),
    Mutant(
        19,
        "windows/WindowCollector.scala",
        "Long.MaxValue else end - 1",
        "Long.MaxValue else end",
    ),
    Mutant(
        0,
        "windows/Window.scala",
        "Math.floorMod(timestamp - offset, size)",
        "(timestamp - offset) % size",
    ),
    Mutant(
        0,
        "windows/CalendarSlices.scala",
        "while (midnight(next) <= time) {",
        "while (midnight(next) <= time - 3600000) {",
        "engine/testOnly *CalendarWindowsSpec",
    ),
    Mutant(
        0,
        "windows/CumulativeSlices.scala",
        "def nextStart(end: Long): Long    = startOf(end, maxSize)",
        "def nextStart(end: Long): Long    = startOf(end - 1, maxSize)",
        "engine/testOnly *SlicesAgainstWindowsSpec",
    ),
]
