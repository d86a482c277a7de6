"""Python functions of windows, called at each firing in Spark's Python workers."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from spark_windowing._builders.column_lambdas import check_arguments
from spark_windowing._builders.column_state import ColumnState
from spark_windowing._gateway import pickling
from spark_windowing._gateway.python_workers import check_workers
from spark_windowing._streams import arrow_results, arrow_values, context, firings, python_function
from spark_windowing._streams.function_hints import takes_iterator
from spark_windowing._streams.python_function import Layout, OfWindow, PythonFunction
from spark_windowing._streams.schemas import check_schemas, schemas
from spark_windowing._streams.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from spark_windowing._gateway.gateway import Gateway

_registered: dict[str, RegisteredFunction] = {}

# Arguments of the user's function, by method.
_ARGUMENTS = {"process": ("key", "context", "elements"), "apply": ("key", "window", "elements")}


@dataclass(frozen=True, eq=False)
class Process(Value):
    """User's function with its schema, side outputs and states, checked.

    Attributes
    ----------
    name
        The method that takes it: ``process`` or ``apply``, or ``aggregate`` or ``reduce`` with ``process=``.
    """

    name: str
    function: Callable[..., Any]
    schema: str | StructType | None
    side_outputs: Mapping[str, str | StructType] | None = None
    window_state: ColumnState | None = None
    global_state: ColumnState | None = None

    def __post_init__(self) -> None:
        """Check the arguments, as far as that needs no session."""
        argument = self.name if self.name in _ARGUMENTS else f"{self.name}: process"
        if not callable(self.function):
            raise TypeError(f"{argument} takes a function, got {self.function!r}")
        check_arguments(argument, self.function, _ARGUMENTS.get(self.name, _ARGUMENTS["process"]))
        check_schemas(self.name, self.schema, self.side_outputs)
        for name in ("window_state", "global_state"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, ColumnState):
                raise TypeError(f"{self.name}: {name} must be a ColumnState.of(..), got {value!r}")
        takes_iterator(self.function, self._title())

    def result(self, gateway: Gateway, declaration: Mapping[str, Any], inputs: tuple[str, ...]) -> DataFrame:
        """Apply the function to the firings of windows.

        The operator emits the elements of firings, which ``mapInArrow`` turns into the rows of the function.

        Parameters
        ----------
        gateway
            The gateway of the session.
        declaration
            The document of the declaration.
        inputs
            The names of the inputs of a co-group, none otherwise.
        """
        import uuid

        gateway.require_answers(
            f"{self._title()}, a Python function of windows,",
            'compute with columns: .aggregate(F.sum("price").alias("spent"))',
        )
        check_workers(gateway.spark)
        as_iterator = takes_iterator(self.function, self._title())
        if as_iterator and inputs:
            raise ValueError(
                f"{self._title()}: a co_group gives a dict of DataFrames: take the hint of its rows away"
            )
        schema, sides = schemas(self.name, self.schema, self.side_outputs, gateway)
        identity = uuid.uuid4().hex
        asked = {
            "id": identity,
            "schema": schema,
            "side_outputs": [*sides.items()],
            "window_state": self.window_state,
            "global_state": self.global_state,
        }
        handed = gateway.frame("result", declaration={**declaration, "python_function": asked})
        columns = gateway.schema("python_function_schema", handed=handed)
        user_function = self.function if self.name != "apply" else OfWindow(self.function)
        layout = self._layout(gateway, handed, columns, tuple(sides), inputs, as_iterator=as_iterator)
        function = PythonFunction(self._title(), user_function, layout)
        _registered[identity] = RegisteredFunction(function, columns)
        pickling.by_value(arrow_results, arrow_values, context, firings, pickling, python_function)

        def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            return function(batches)

        return gateway.frame("of_python_function", rows=handed.mapInArrow(run, columns))

    def _title(self) -> str:
        function = getattr(self.function, "__name__", None) or type(self.function).__name__
        return (
            f"{self.name}({function})" if self.name in _ARGUMENTS else f"{self.name}(.., process={function})"
        )

    def _layout(
        self,
        gateway: Gateway,
        handed: DataFrame,
        columns: StructType,
        tags: tuple[str, ...],
        inputs: tuple[str, ...],
        *,
        as_iterator: bool,
    ) -> Layout:
        names = handed.columns
        keys = names.index("window")
        late = names[-1] if names[-2] == "output" else None
        zone = str(gateway.spark.conf.get("spark.sql.session.timeZone"))
        return Layout(
            keys=keys,
            pane="pane" in names[keys + 1 : names.index("#element")],
            row="row" in names[keys + 1 : names.index("#element")],
            window_state="#window_state" in names,
            global_state="#global_state" in names,
            late=late,
            tags=tags,
            inputs=inputs,
            as_iterator=as_iterator,
            output=_arrow(self.name, columns, zone),
            time_zone=zone,
        )


class RegisteredFunction(NamedTuple):
    """Python function of a result, and the columns of its rows."""

    function: PythonFunction
    columns: StructType


def python_function_of(gateway: Gateway, result: DataFrame) -> RegisteredFunction | None:
    """Return the Python function of a result, None if there is none."""
    identity = gateway.value("python_function_id", result=result)
    return None if identity is None else _registered[identity]


def _arrow(what: str, columns: StructType, zone: str) -> pa.Schema:
    """Return the columns as Spark passes them to Python, so that rows passed on are not cast."""
    import pyarrow as pa
    from pyspark.errors import PySparkTypeError
    from pyspark.sql.pandas.types import to_arrow_schema

    # Spark 4.0 and 4.1 have no such argument and takes UTC
    utc: dict[str, Any] = (
        {"timezone": "UTC"} if "timezone" in inspect.signature(to_arrow_schema).parameters else {}
    )
    try:
        schema = to_arrow_schema(columns, **utc)
    except PySparkTypeError as error:
        raise ValueError(f"{what}: Python functions have no such values: {error}") from None
    return pa.schema([_in_zone(field, zone) for field in schema])


def _in_zone(field: pa.Field, zone: str) -> pa.Field:
    """Set this time zone in all timestamps of a field that have one."""
    import pyarrow as pa

    kind = field.type
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        return field.with_type(pa.timestamp(kind.unit, zone))
    if pa.types.is_struct(kind):
        return field.with_type(pa.struct([_in_zone(inner, zone) for inner in kind]))
    if pa.types.is_map(kind):
        return field.with_type(pa.map_(_in_zone(kind.key_field, zone), _in_zone(kind.item_field, zone)))
    if pa.types.is_list(kind):
        return field.with_type(pa.list_(_in_zone(kind.value_field, zone)))
    return field
