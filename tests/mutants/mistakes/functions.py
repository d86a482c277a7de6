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
        "functions/JoinPairs.scala",
        "if (matches && left.nonEmpty && right.nonEmpty)",
        "if (left.nonEmpty && right.nonEmpty)",
        "engine/testOnly *JoinKindSpec",
    ),
    Mutant(
        0,
        "functions/JoinPairs.scala",
        "if (keepsLeft) take(left, partner)",
        "if (keepsLeft || keepsRight) take(left, partner)",
        "engine/testOnly *JoinKindSpec",
    ),
    Mutant(
        0,
        "functions/JoinGroups.scala",
        "if (matches && lefts.exist && rights.exist)",
        "if ((matches || lefts.exist) && lefts.exist && rights.exist)",
        "engine/testOnly *JoinKindSpec",
    ),
    Mutant(
        0,
        "functions/JoinGroups.scala",
        "(if (keepsLeft) lefts.all",
        "(if (keepsLeft || keepsRight) lefts.all",
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
