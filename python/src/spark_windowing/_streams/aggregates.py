"""Aggregates as PySpark's ``agg`` takes them: Columns, SQL text, or a dict of columns and functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column

# Names that PySpark's dict has besides those of SQL functions, and names under which Spark shows them.
_FUNCTIONS = {"average": "avg", "mean": "avg", "std": "stddev", "size": "count"}
_TAKES = (
    'aggregate takes Columns such as F.sum("price").alias("spent"), SQL text such as "sum(price) AS spent", '
    'or one dict such as {"price": "sum"}'
)


def aggregates(values: tuple[object, ...]) -> list[Column]:
    """Make Columns of the arguments of ``aggregate``.

    Raises
    ------
    TypeError
        If an argument is of another type, or a dict is not alone.
    ValueError
        If there is none, or a dict is empty.
    """
    if not values:
        raise ValueError('aggregate needs a Column: .aggregate(F.count("*").alias("count"))')
    if any(isinstance(value, dict) for value in values):
        if len(values) > 1:
            raise TypeError(
                "aggregate takes a dict alone; SQL text or Columns stand beside each other: "
                f'.aggregate("sum(price)", "count(*) AS n"), got {len(values)} arguments'
            )
        return _of_dict(values[0])
    return [_of_one(value) for value in values]


def _of_one(value: object) -> Column:
    from pyspark.sql import Column
    from pyspark.sql import functions as F

    if isinstance(value, str):
        return F.expr(value)
    if not isinstance(value, Column):
        raise TypeError(f"{_TAKES}, got {value!r}")
    return value


def _of_dict(functions: object) -> list[Column]:
    from pyspark.sql import functions as F

    columns: list[Column] = []
    for column, function in functions.items():  # type: ignore[attr-defined]
        if not isinstance(column, str) or not isinstance(function, str):
            raise TypeError(f"{_TAKES}, got {functions!r}")
        name = _FUNCTIONS.get(function.lower(), function.lower())
        counts_rows = (name, column) == ("count", "*")
        columns.append(F.count("*") if counts_rows else F.call_function(name, F.col(column)))
    if not columns:
        raise ValueError(f"{_TAKES}, got an empty dict")
    return columns
