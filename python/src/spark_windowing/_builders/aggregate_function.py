"""Functions of windows that are written as columns."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, final

from spark_windowing._builders.arguments import function
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
    """An aggregate of your own, for `WindowedStream.aggregate`: one struct a window, to which rows are added.

    Each part is SQL text, or a function of Columns that returns one. It is called once, when the query is
    declared; what it returns runs in the JVM. Write ``acc["name"]`` in a function: some names are methods of
    a Column.

    Attributes
    ----------
    create_accumulator
        The accumulator of a window without rows: a struct of constants. They are widened without loss to
        the types that `add` gives.
    add
        The accumulator with one more row, over the structs ``acc`` and ``row``: a struct of the same fields.
    get_result
        The result, over the struct ``acc``: a struct, whose fields become columns, or one value, the column
        ``result``. Null puts out no row.
    merge
        The accumulator of two windows that became one, over the structs ``a`` and ``b``. Needed for
        sessions, else it may be left out.

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

    def __post_init__(self) -> None:
        """Check the arguments."""
        for name in _ARGUMENTS:
            value = getattr(self, name)
            if value is not None or name != "merge":
                function("AggregateFunction", name, value)

    def _scala(self) -> ScalaCall:
        parts = (
            None if getattr(self, name) is None else _expression(name, getattr(self, name))
            for name in _ARGUMENTS
        )
        return ScalaCall("dev.sparkwindowing.columns.ColumnAggregateFunction", "of", tuple(parts))

    def __repr__(self) -> str:
        """Return the call that makes the same function."""
        values = ((field.name, getattr(self, field.name)) for field in fields(self))
        shown = (
            f"{name}={getattr(value, '__name__', None) or repr(value)}"
            for name, value in values
            if value is not None
        )
        return f"AggregateFunction({', '.join(shown)})"


def _expression(name: str, written: object) -> Expression:
    return Expression(f"AggregateFunction: {name}", written, _ARGUMENTS[name])
