"""Columns of a result as those of a table of PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spark_windowing._results.changes import quoted

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql.types import StructType

PANE = "pane"
WINDOW = ("window_start", "window_end")
_TYPES = {
    "array": "jsonb",
    "binary": "bytea",
    "boolean": "boolean",
    "byte": "smallint",
    "date": "date",
    "decimal": "numeric",
    "double": "double precision",
    "float": "real",
    "integer": "integer",
    "long": "bigint",
    "map": "jsonb",
    "short": "smallint",
    "string": "text",
    "struct": "jsonb",
    "timestamp": "timestamp with time zone",
    "timestamp_ntz": "timestamp",
}
# In UTC, so that a column without time zone gets the same text in every session.
_TIMES = {"timeZone": "UTC", "timestampFormat": "yyyy-MM-dd HH:mm:ss.SSSSSSXXX"}


class TableColumn(NamedTuple):
    """Column of the table: name and type there, column and type in the changes of a micro-batch."""

    name: str
    type: str
    source: str
    source_type: str

    def text(self) -> Column:
        """Return the values as texts that PostgreSQL reads."""
        from pyspark.sql import functions as F

        value = F.col(self.source)
        if self.type == "jsonb":
            return F.to_json(value, {**_TIMES, "ignoreNullFields": "false"})
        if self.source_type == "timestamp":
            # As a CSV of one column, since a cast takes the time zone of the session.
            return F.when(value.isNotNull(), F.to_csv(F.struct(value), _TIMES))
        if self.source_type == "binary":
            return F.concat(F.lit("\\x"), F.hex(value))
        return value.cast("string")


def columns_of(schema: StructType) -> list[TableColumn]:
    """Return the columns for a result; its window has one for each bound.

    Raises
    ------
    ValueError
        If PostgreSQL has no type for a column.
    """
    columns = []
    for field in schema:
        kind = field.dataType.typeName()
        if field.name == "window":
            times = field.dataType["start"].dataType.typeName()  # type: ignore[index]
            columns += [
                TableColumn(name, _TYPES[times], f"window.{bound}", times)
                for name, bound in zip(WINDOW, ("start", "end"), strict=True)
            ]
        elif kind in _TYPES:
            columns.append(TableColumn(field.name, _TYPES[kind], f"row.{quoted(field.name)}", kind))
        else:
            raise ValueError(
                f"upsert_to_postgres has no type for {field.name} of {field.dataType.simpleString()}: "
                'cast it, .cast("string")'
            )
    return columns
