"""Inputs of a simulated declaration, and their rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_windowing._simulation.steps import as_time
from spark_windowing._simulation.times import micros_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from spark_windowing._gateway.gateway import Gateway
    from spark_windowing._simulation.steps import Element

_NUMBER = "#"  # column with the number of an element among those of all inputs


@dataclass(frozen=True)
class Inputs:
    """Inputs of a result.

    Attributes
    ----------
    gateway
        The gateway of the session.
    result
        The result of the declaration.
    names
        The names of the inputs of a join or co-group, none for a result of one input.
    """

    gateway: Gateway
    result: DataFrame
    names: list[str]

    @staticmethod
    def of(gateway: Gateway, result: DataFrame) -> Inputs:
        """Return the inputs of a result."""
        names = gateway.value("input_names", result=result)
        return Inputs(gateway, result, names)

    def number(self, given: int | str) -> int:
        """Return the number of an input given by number or name."""
        if given in self.names:
            return self.names.index(str(given))
        if isinstance(given, str) or (self.names and given >= len(self.names)):
            known = ", ".join(map(repr, self.names)) if self.names else "names are for a join or co-group"
            raise ValueError(f"there is no input {given!r}: {known}")
        return given

    def elements(self, elements: list[Element]) -> DataFrame:
        """Make a DataFrame of the rows, in order."""
        if not self.names:
            return _frame(self.gateway, self._schema(None), elements)
        frames = []
        for i in range(len(self.names)):
            numbered = [(n, e) for n, e in enumerate(elements) if self.number(e.input) == i]
            of_input, numbers = [e for _, e in numbered], [n for n, _ in numbered]
            frames.append(_frame(self.gateway, self._schema(i), of_input, numbers))
        return self.gateway.frame("united_elements", result=self.result, elements=frames)

    def _schema(self, number: int | None) -> StructType:
        return self.gateway.schema("input_schema", result=self.result, input=number)


def _frame(
    gateway: Gateway, schema: StructType, elements: list[Element], numbers: list[int] | None = None
) -> DataFrame:
    """Make a DataFrame of rows with these columns, after their numbers if there are any."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import LongType, StructField, StructType, TimestampType

    names = schema.names
    rows = [dict(element.columns) for element in elements]
    for row in rows:
        if unknown := [name for name in row if name not in names]:
            raise ValueError(
                f"element has no column {', '.join(unknown)}; the columns are {', '.join(names)}"
            )
    moments = {field.name for field in schema if isinstance(field.dataType, TimestampType)}
    for name in moments:
        given = [row for row in rows if row.get(name) is not None]
        times = [as_time(f"element: {name}", row[name]) for row in given]
        for row, micros in zip(given, micros_of(gateway.spark, times), strict=True):
            row[name] = micros
    plain = StructType(
        [StructField(field.name, LongType() if field.name in moments else field.dataType) for field in schema]
    )
    values = [tuple(map(row.get, names)) for row in rows]
    columns = [
        F.timestamp_micros(F.col(_quote(name))).alias(name) if name in moments else F.col(_quote(name))
        for name in names
    ]
    if numbers is None:
        return gateway.spark.createDataFrame(values, plain).select(columns)
    numbered = StructType([StructField(_NUMBER, LongType()), *plain])
    rows_of_input = [(n, *row) for n, row in zip(numbers, values, strict=True)]
    return gateway.spark.createDataFrame(rows_of_input, numbered).select(_quote(_NUMBER), *columns)


def _quote(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
