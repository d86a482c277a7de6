"""Gateway to Scala, through which all calls of it go: directly, or recorded for a server."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from spark_windowing._builders.column_lambdas import called
from spark_windowing._builders.durations import millis
from spark_windowing._builders.part import Expression, Part, ScalaCall
from spark_windowing._gateway.errors import parse_errors

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructType


@dataclass(frozen=True)
class Gateway(ABC):
    """Scala entry object, attached to one session.

    Its methods make and return Scala values: objects of the JVM, or what stands for them.

    Attributes
    ----------
    spark
        The session.
    entry
        The entry object, a Scala value.
    """

    spark: SparkSession
    entry: Any

    @abstractmethod
    def call(self, receiver: Any, method: str, *args: object) -> Any:
        """Call a Scala method; its refusal is a ValueError, here or in `frame` and `value`."""

    @abstractmethod
    def frame(self, java: Any) -> DataFrame:
        """Wrap a Scala DataFrame."""

    @abstractmethod
    def value(self, java: Any) -> Any:
        """Read a text, a number or a list of these; None for null."""

    @abstractmethod
    def schema(self, java: Any) -> StructType:
        """Read a Scala schema."""

    @abstractmethod
    def rows(self, df: DataFrame) -> Any:
        """Make the Scala value of a DataFrame."""

    @abstractmethod
    def session(self) -> Any:
        """Make the Scala value of the session."""

    @abstractmethod
    def java_list(self, values: Iterable[object]) -> Any:
        """Make a Java list."""

    @abstractmethod
    def java_schema(self, schema: StructType | str) -> Any:
        """Make a Scala schema, also of a text as in DDL."""

    @abstractmethod
    def _duration(self, milliseconds: int) -> Any: ...

    @abstractmethod
    def _column(self, column: Column) -> Any: ...

    def make(self, part: Part) -> Any:
        """Make the Scala value of a window assigner, trigger or evictor."""
        return self.made(part._scala())

    def made(self, call: ScalaCall) -> Any:
        """Make a Scala value by the factory of its class."""
        class_name, method, args = call
        values = self.java_list(self._argument(arg) for arg in args)
        return self.call(self.entry, "make", class_name, method, values)

    def duration(self, value: timedelta) -> Any:
        """Make the Scala value of a duration."""
        return self._duration(millis(value))

    def column(self, name: str, value: object) -> Any:
        """Make the Scala value of a column given by name or as a Column."""
        from pyspark.sql import Column
        from pyspark.sql import functions as F

        if isinstance(value, str):
            return self._column(F.col(value))
        if not isinstance(value, Column):
            raise TypeError(f"{name} must be a column name or a Column, got {value!r}")
        return self._column(value)

    def columns(self, name: str, values: Iterable[str | Column]) -> Any:
        """Make a Java list of columns."""
        return self.java_list([self.column(name, value) for value in values])

    def expression(self, value: Expression) -> Any:
        """Make the Scala value of an expression of a part."""
        from pyspark.sql import Column
        from pyspark.sql import functions as F

        written = value.written
        if callable(written) and not isinstance(written, Column):
            written = called(value.name, written, value.arguments)
            if not isinstance(written, (str, Column)):
                raise TypeError(
                    f"{value.name} must return a Column, as F.lit(0) and F.struct(..) are, got {written!r}"
                )
        if isinstance(written, str):
            with parse_errors(value.name, written):  # Spark 3.5 reads it at once
                written = F.expr(written)
        return self.column(value.name, written)

    def _argument(self, value: object) -> object:
        if isinstance(value, Part):
            return self.make(value)
        if isinstance(value, timedelta):
            return self.duration(value)
        if isinstance(value, Expression):
            return self.expression(value)
        if isinstance(value, tuple):
            return self.java_list(self._argument(item) for item in value)
        return value
