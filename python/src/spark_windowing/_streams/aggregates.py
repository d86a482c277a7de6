"""Aggregates as PySpark's ``agg`` takes them: Columns, SQL text, or a dict of columns and functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_windowing._streams.value import Value

if TYPE_CHECKING:
    from pyspark.sql import Column

# Names that PySpark's dict has besides those of SQL functions, and names under which Spark shows them.
_FUNCTIONS = {"average": "avg", "mean": "avg", "std": "stddev", "size": "count"}
_TAKES = (
    'aggregate takes Columns such as F.sum("price").alias("spent"), SQL text such as "sum(price) AS spent", '
    'or one dict such as {"price": "sum"}'
)


@dataclass(frozen=True, eq=False)
class Aggregates(Value):
    """Arguments of ``aggregate``.

    Raises
    ------
    TypeError
        If an argument is of another type, or a dict is not alone.
    ValueError
        If there is none, or a dict is empty.
    """

    written: tuple[str | Column | dict[str, str], ...]

    def __post_init__(self) -> None:
        """Check the arguments, as far as that needs no session."""
        if not self.written:
            raise ValueError('aggregate needs a Column: .aggregate(F.count("*").alias("count"))')
        if any(isinstance(value, dict) for value in self.written) and len(self.written) > 1:
            raise TypeError(
                "aggregate takes a dict alone; SQL text or Columns stand beside each other: "
                f'.aggregate("sum(price)", "count(*) AS n"), got {len(self.written)} arguments'
            )
        for value in self.written:
            if isinstance(value, dict):
                _check_dict(value)
            elif not isinstance(value, str) and type(value).__name__ != "Column":
                raise TypeError(f"{_TAKES}, got {value!r}")

    def _document(self) -> list[Column]:
        from pyspark.sql import functions as F

        first = self.written[0]
        if isinstance(first, dict):
            return [_of_pair(column, function) for column, function in first.items()]
        return [F.expr(value) if isinstance(value, str) else value for value in self.written]  # type: ignore[misc]


def _check_dict(functions: dict[str, str]) -> None:
    if not functions:
        raise ValueError(f"{_TAKES}, got an empty dict")
    if not all(isinstance(name, str) for pair in functions.items() for name in pair):
        raise TypeError(f"{_TAKES}, got {functions!r}")


def _of_pair(column: str, function: str) -> Column:
    from pyspark.sql import functions as F

    name = _FUNCTIONS.get(function.lower(), function.lower())
    counts_rows = (name, column) == ("count", "*")
    return F.count("*") if counts_rows else F.call_function(name, F.col(column))
