"""Rows collected from Spark, including timestamps out of the range of Python's datetime."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from spark_windowing._simulation.times import moment_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame, Row
    from pyspark.sql.types import DataType, MapType


def rows_of(frame: DataFrame) -> list[Row]:
    """Collect a DataFrame. A timestamp out of range becomes ``datetime.min`` or ``datetime.max``."""
    fields = frame.schema.fields
    numbered = frame.toDF(*map(str, range(len(fields))))  # by position, as names may repeat
    columns = [_written(numbered[str(i)], field.dataType).alias(str(i)) for i, field in enumerate(fields)]
    return [
        named(frame.columns, [read(value, field.dataType) for value, field in zip(row, fields, strict=True)])
        for row in numbered.select(columns).collect()
    ]


def named(names: list[str], values: Sequence[Any]) -> Row:
    """Make a row as PySpark does; names may repeat."""
    from pyspark.sql import Row

    row = Row(*values)
    row.__fields__ = names
    return row


def _written(column: Column, kind: DataType) -> Column:
    """Convert timestamps to microseconds, at any depth."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import ArrayType, StructType, TimestampType

    if not _holds_times(kind):
        return column
    if isinstance(kind, TimestampType):
        return F.unix_micros(column)
    if isinstance(kind, StructType):
        fields = [_written(column.getField(f.name), f.dataType).alias(f.name) for f in kind]
        return F.when(column.isNotNull(), F.struct(*fields))
    if isinstance(kind, ArrayType):
        return F.transform(column, lambda item: _written(item, kind.elementType))
    of = cast("MapType", kind)
    pairs = F.transform(
        F.map_entries(column),
        lambda pair: F.struct(_written(pair["key"], of.keyType), _written(pair["value"], of.valueType)),
    )
    return F.map_from_entries(pairs)


def read(value: Any, kind: DataType) -> Any:
    """Read a value of this type in which timestamps are microseconds, at any depth."""
    from pyspark.sql.types import ArrayType, StructType, TimestampType

    if value is None or not _holds_times(kind):
        return value
    if isinstance(kind, TimestampType):
        return moment_of(value)
    if isinstance(kind, StructType):
        return named(kind.names, [read(v, f.dataType) for v, f in zip(value, kind, strict=True)])
    if isinstance(kind, ArrayType):
        return [read(item, kind.elementType) for item in value]
    return {read(k, kind.keyType): read(v, kind.valueType) for k, v in value.items()}  # type: ignore[attr-defined]


def _holds_times(kind: DataType) -> bool:
    from pyspark.sql.types import ArrayType, MapType, StructType, TimestampType

    if isinstance(kind, StructType):
        return any(_holds_times(field.dataType) for field in kind)
    if isinstance(kind, ArrayType):
        return _holds_times(kind.elementType)
    if isinstance(kind, MapType):
        return _holds_times(kind.keyType) or _holds_times(kind.valueType)
    return isinstance(kind, TimestampType)
