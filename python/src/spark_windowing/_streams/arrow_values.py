"""Conversion of values from Arrow for the user's function, in the time zone of the session.

The module is pickled by value, as Spark's Python workers may not have this package: it imports no other
module of the package.
"""

from __future__ import annotations

from datetime import datetime, timezone, tzinfo
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    import pyarrow as pa

# Outside these bounds, the second day of the year 1 and the last day of the year 9999, Python's datetime
# cannot hold a time in every time zone.
_EARLIEST = -62135510400_000_000
_LATEST = 253402214400_000_000


class ArrowValues:
    """Converter of single values and of the rows of elements.

    Times are naive: those of TIMESTAMP in the time zone of the session, those of TIMESTAMP_NTZ as they are.
    """

    def __init__(self, time_zone: str) -> None:
        """Store the time zone of the session."""
        self._time_zone = time_zone
        self._zone: tzinfo | None = None
        self._readers: dict[pa.DataType, Callable[[pa.Array], pd.Series[Any]]] = {}

    def __reduce__(self) -> tuple[type, tuple[str]]:
        """Pickle without what is made in the first calls."""
        return ArrowValues, (self._time_zone,)

    def moment_or_none(self, millis: int | None, *, has_zone: bool = True) -> datetime | None:
        """Return epoch milliseconds as a time of the session, or as they are; None stays None."""
        return None if millis is None else self._moment(millis * 1000, has_zone=has_zone)

    def value(self, scalar: pa.Scalar) -> Any:
        """Return the Python value of a scalar.

        A map is a dict, or a list of pairs if a dict cannot have such keys.
        """
        import pyarrow as pa

        kind = scalar.type
        if not scalar.is_valid:
            return None
        if pa.types.is_timestamp(kind):
            return self._moment(scalar.value, has_zone=kind.tz is not None)
        if pa.types.is_nested(kind):
            return self._nested_value(scalar, kind)
        return scalar.as_py()

    def _nested_value(self, scalar: pa.Scalar, kind: pa.DataType) -> Any:
        import pyarrow as pa

        if pa.types.is_map(kind):
            entries = scalar.values  # noqa: PD011  (of Arrow)
            pairs = [(self.value(entry["key"]), self.value(entry["value"])) for entry in entries]
            try:
                return dict(pairs)
            except TypeError:
                return pairs
        if not pa.types.is_struct(kind):
            return [self.value(item) for item in scalar]
        if _stands_for_an_object(kind):
            return self._reader(kind)(pa.array([scalar.as_py()], kind))[0]
        return {name: self.value(scalar[name]) for name in scalar}

    def _moment(self, micros: int, *, has_zone: bool) -> datetime:
        if micros >= _LATEST:
            return datetime.max  # noqa: DTZ901  (naive, as all times here)
        if micros < _EARLIEST:
            return datetime.min  # noqa: DTZ901
        moment = datetime.fromtimestamp(micros // 1_000_000, timezone.utc).replace(
            microsecond=micros % 1_000_000
        )
        if not has_zone:
            return moment.replace(tzinfo=None)
        self._zone = self._zone or zone_of(self._time_zone)
        return moment.astimezone(self._zone).replace(tzinfo=None)

    def frame(self, elements: pa.StructArray) -> pd.DataFrame:
        """Convert the elements to a pandas DataFrame, as ``applyInPandas`` does."""
        import pandas as pd
        import pyarrow as pa

        columns = list(zip(elements.type, elements.flatten(), strict=True))
        flat = [(field.name, column) for field, column in columns if not pa.types.is_nested(field.type)]
        if not flat:
            return pd.DataFrame({field.name: self._nested(column) for field, column in columns})
        frame = _flat(flat)
        for i, (field, column) in enumerate(columns):
            if pa.types.is_timestamp(field.type) and field.type.tz is not None:
                moments = frame[field.name].dt.tz_convert(self._time_zone)
                frame[field.name] = moments.dt.tz_localize(None)
            elif pa.types.is_nested(field.type):
                frame.insert(i, field.name, self._nested(column))
        return frame

    def _nested(self, column: pa.Array) -> pd.Series[Any]:
        """Convert arrays, maps, structs and values that Arrow has as structs by PySpark's own converter.

        It fails for times out of pandas' range, for arrays of arrays of times whose lengths differ, and for
        maps whose keys are structs: these come as plain Python values.
        """
        import pandas as pd
        import pyarrow as pa

        try:
            _check_nanoseconds(column)
            return self._reader(column.type)(column)
        except (pa.ArrowInvalid, ValueError, OverflowError, TypeError):
            return pd.Series([self.value(item) for item in column], dtype=object)

    def _reader(self, kind: pa.DataType) -> Callable[[pa.Array], pd.Series[Any]]:
        reader = self._readers.get(kind)
        if reader is None:
            reader = self._readers[kind] = _reader(kind, self._time_zone)
        return reader


def _reader(kind: pa.DataType, time_zone: str) -> Callable[[pa.Array], pd.Series[Any]]:
    import inspect

    from pyspark.sql.pandas.types import _create_converter_to_pandas, from_arrow_type

    # Since Spark 4.2 integers of an array with a null stay integers.
    more = {"integer_object_nulls"} & inspect.signature(_create_converter_to_pandas).parameters.keys()
    whole = dict.fromkeys(more, True)

    def plain(column: pa.Array) -> pd.Series[Any]:
        return column.to_pandas(date_as_object=True, coerce_temporal_nanoseconds=True, **whole)

    if _comes_from_arrow(kind):
        return plain
    options: dict[str, Any] = {"timezone": time_zone, "struct_in_pandas": "dict", **whole}
    convert = _create_converter_to_pandas(from_arrow_type(kind, True), **options)  # noqa: FBT003
    return lambda column: convert(plain(column))


def _comes_from_arrow(kind: pa.DataType) -> bool:
    """Recognize a type whose values Arrow itself makes as PySpark does, without a call for each."""
    import pyarrow as pa

    if pa.types.is_struct(kind):
        return all(field.metadata is None and _comes_from_arrow(field.type) for field in kind)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _comes_from_arrow(kind.value_type)
    return not pa.types.is_timestamp(kind) and not pa.types.is_map(kind)


def _flat(columns: list[tuple[str, pa.Array]]) -> pd.DataFrame:
    import pyarrow as pa

    table = pa.Table.from_arrays([column for _, column in columns], [name for name, _ in columns])
    try:
        return table.to_pandas(date_as_object=True, coerce_temporal_nanoseconds=True)
    except pa.ArrowInvalid:  # a time before 1677 or after 2262 does not fit into nanoseconds
        return table.to_pandas(date_as_object=True)


def _check_nanoseconds(values: pa.Array) -> None:
    """Raise pa.ArrowInvalid if a time, at any depth, does not fit into nanoseconds."""
    import pyarrow as pa

    kind = values.type
    if pa.types.is_timestamp(kind):
        values.cast(pa.timestamp("ns", kind.tz))
    elif pa.types.is_struct(kind):
        for part in values.flatten():
            _check_nanoseconds(part)
    elif pa.types.is_map(kind):
        _check_nanoseconds(values.keys)
        _check_nanoseconds(values.items)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        _check_nanoseconds(values.flatten())


def _stands_for_an_object(kind: pa.StructType) -> bool:
    """Recognize the struct of a VARIANT, of a GEOMETRY and the like, for which PySpark has a class."""
    from pyspark.sql.pandas.types import from_arrow_type
    from pyspark.sql.types import StructType

    return any(field.metadata for field in kind) and not isinstance(from_arrow_type(kind), StructType)


def zone_of(name: str) -> tzinfo:
    """Return a time zone as pandas has it, so that all times of a call of the function agree."""
    import pandas as pd

    zone: tzinfo = pd.Timestamp(0, tz=name).tzinfo
    return zone


def cast_to(rows: pa.Array, to: pa.DataType) -> pa.Array:
    """Cast rows to a type, if they have another one."""
    return rows if rows.type == to else rows.cast(to, safe=False)
