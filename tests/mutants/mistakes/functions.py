"""Mistakes in functions and declarations."""

from mistakes.mutant import Mutant

MUTANTS = [
    Mutant(
        0,
        "spark/aggregates/Retraction.scala",
        "If(retracts, Literal(-1L), Literal(1L))",
        "If(retracts, Literal(0L), Literal(1L))",
        "spark/testOnly *RetractsSpec",
    ),
    Mutant(
        0,
        "spark/aggregates/Retraction.scala",
        "If(EqualTo(counted(Seq(value), of), Literal(0L)),",
        "If(EqualTo(counted(Seq(value), of), Literal(-1L)),",
        "spark/testOnly *RetractsSpec",
    ),
    Mutant(
        0,
        "spark/analysis/ChangeFeed.scala",
        "feed <- plan.find(isFeed)",
        "feed <- Some(plan).filter(isFeed)",
        "spark/testOnly *RetractsSpec",
    ),
    Mutant(
        0,
        "spark/analysis/RetractingRows.scala",
        "if (rules.trigger.purges)",
        "if (rules.trigger.purges && rules.evictor.nonEmpty)",
        "spark/testOnly *RetractsSpec",
    ),
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
