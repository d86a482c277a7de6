"""Aggregate functions written as columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, final

from spark_windowing._builders.arguments import function, truth
from spark_windowing._builders.part import Expression, ExpressionPart, ScalaCall

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column

_ARGUMENTS = {
    "create_accumulator": (),
    "add": ("acc", "row"),
    "merge": ("a", "b"),
    "get_result": ("acc",),
}


@final
@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class AggregateFunction(ExpressionPart):
    """User-defined aggregate for `WindowedStream.aggregate`: an accumulator per window, a struct.

    Each method is SQL text, or a function of Columns that returns one. The function is called once, when
    the query is declared; its result runs in the JVM. Write ``acc["name"]`` in a function: some names are
    methods of a Column.

    Attributes
    ----------
    create_accumulator
        The empty accumulator: a struct of constants, which are widened without loss to the types that `add`
        gives.
    add
        The accumulator after a row, over the structs ``acc`` and ``row``: a struct of the same fields.
    get_result
        The result, over the struct ``acc``: a struct, whose fields become columns, or one value, the column
        ``result``. Null emits no row.
    merge
        The accumulator of two merged windows, over the structs ``a`` and ``b``. Required for sessions,
        otherwise optional.
    mergeable
        True declares that rows may be added in any order to several accumulators, which `merge` then
        combines, with the same result. Rows are then aggregated before the exchange, as those of Spark's own
        aggregates are. Requires `merge`.

    Examples
    --------
    >>> AggregateFunction(
    ...     create_accumulator="struct(0 as n, 0 as total)",
    ...     add="struct(acc.n + 1 as n, acc.total + row.price as total)",
    ...     get_result="struct(acc.total / acc.n as mean)",
    ... )
    AggregateFunction(create_accumulator='struct(0 as n, 0 as total)', \
add='struct(acc.n + 1 as n, acc.total + row.price as total)', \
get_result='struct(acc.total / acc.n as mean)')
    """

    _factory: ClassVar[str] = ""
    _own: ClassVar[str] = (
        "Give its methods as columns, sw.AggregateFunction(create_accumulator=.., add=.., get_result=..); "
        'or write a class in Scala or Java, .aggregate(sw.jvm("com.acme.MyAggregate"))'
    )

    create_accumulator: str | Column | Callable[[], Column]
    add: str | Callable[[Any, Any], Any]
    get_result: str | Callable[[Any], Any]
    merge: str | Callable[[Any, Any], Any] | None = None
    mergeable: bool = False

    def __post_init__(self) -> None:
        """Check the arguments."""
        for name in _ARGUMENTS:
            value = getattr(self, name)
            if value is not None or name != "merge":
                function("AggregateFunction", name, value)
        truth("AggregateFunction", "mergeable", self.mergeable)

    def _scala(self) -> ScalaCall:
        written = ((name, getattr(self, name), arguments) for name, arguments in _ARGUMENTS.items())
        parts = (
            None if value is None else Expression(f"AggregateFunction: {name}", value, arguments)
            for name, value, arguments in written
        )
        return ScalaCall("dev.sparkwindowing.columns.ColumnAggregateFunction", "of", (*parts, self.mergeable))
