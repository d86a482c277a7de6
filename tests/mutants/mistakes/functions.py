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
        "= matches && lefts.nonEmpty && rights.nonEmpty",
        "= (matches || lefts.nonEmpty) && lefts.nonEmpty && rights.nonEmpty",
        "engine/testOnly *JoinKindSpec",
    ),
    Mutant(
        0,
        "functions/JoinKind.scala",
        "if (meet || keepsRight) rights",
        "if (keepsRight) rights",
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
