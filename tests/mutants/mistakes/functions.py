"""Mistakes in functions and declarations."""

from mistakes.mutant import Mutant

MUTANTS = [
    Mutant(
        0,
        "declaration/Difference.scala",
        "now.mayGrow && is >= was",
        "now.mayGrow && is != was",
        "engine/testOnly *SpecSpec",
    ),
    Mutant(
        0,
        "functions/JoinKind.scala",
        "val meet = matches && left > 0 && right > 0",
        "val meet = (matches || left > 0) && left > 0 && right > 0",
        "engine/testOnly *JoinKindSpec",
    ),
    Mutant(
        0,
        "functions/JoinKind.scala",
        "if (meet || keepsRight) rights.take(right)",
        "if (keepsRight) rights.take(right)",
        "engine/testOnly *JoinKindSpec",
    ),
    Mutant(
        0,
        "state/FunctionState.scala",
        "entry.clock == clock && entry.expiry <= until",
        "entry.clock != clock || entry.expiry <= until",
        "engine/testOnly *FunctionStateSpec",
    ),
    Mutant(
        0,
        "state/FunctionState.scala",
        "time != Never && time <= now",
        "time <= now",
        "engine/testOnly *FunctionStateSpec",
    ),
]
