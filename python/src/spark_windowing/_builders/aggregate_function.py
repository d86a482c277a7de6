"""Aggregate functions written as columns."""

from __future__ import annotations

from dataclasses import dataclass, fields
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
        parts = (
            None if getattr(self, name) is None else _expression(name, getattr(self, name))
            for name in _ARGUMENTS
        )
        return ScalaCall("dev.sparkwindowing.columns.ColumnAggregateFunction", "of", (*parts, self.mergeable))

    def __repr__(self) -> str:
        """Return the call that makes the same function."""
        values = ((field.name, getattr(self, field.name)) for field in fields(self))
        shown = (
            f"{name}={getattr(value, '__name__', None) or repr(value)}"
            for name, value in values
            if value is not None and value is not False
        )
        return f"AggregateFunction({', '.join(shown)})"


def _expression(name: str, written: object) -> Expression:
    return Expression(f"AggregateFunction: {name}", written, _ARGUMENTS[name])
