"""Conversion of values between Arrow and the user's function, in the time zone of the session.

The module is pickled by value, as Spark's Python workers may not have this package: it imports no other
module of the package.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    import pyarrow as pa

# Outside these bounds, the second day of the year 1 and the last day of the year 9999, Python's datetime
# cannot hold a time in every time zone.
_EARLIEST = -62135510400_000_000
_LATEST = 253402214400_000_000


class ArrowValues:
    """Converter of values, rows of elements and results."""

    def __init__(self, time_zone: str) -> None:
        """Store the time zone of the session."""
        self._time_zone = time_zone

    def moment_or_none(self, millis: int | None) -> datetime | None:
        """Return a time of epoch milliseconds, None for none."""
        return None if millis is None else self.moment(millis)

    def moment(self, millis: int) -> datetime:
        """Return epoch milliseconds as a naive time of the session, clamped to the range of datetime."""
        return self._moment_of_micros(millis * 1000)

    def _moment_of_micros(self, micros: int) -> datetime:
        from zoneinfo import ZoneInfo

        if micros >= _LATEST:
            return datetime.max  # noqa: DTZ901  (naive, as all times here)
        if micros < _EARLIEST:
            return datetime.min  # noqa: DTZ901
        moment = datetime.fromtimestamp(micros // 1_000_000, timezone.utc).replace(
            microsecond=micros % 1_000_000
        )
        return moment.astimezone(ZoneInfo(self._time_zone)).replace(tzinfo=None)

    def value(self, scalar: pa.Scalar) -> Any:
        """Return the Python value of a scalar, with naive times."""
        try:
            return _naive(scalar.as_py())
        except (OverflowError, ValueError):  # a time that datetime cannot hold
            return self._clamped(scalar)

    def _clamped(self, scalar: pa.Scalar) -> Any:
        import pyarrow as pa

        kind = scalar.type
        if not scalar.is_valid:
            return None
        if pa.types.is_timestamp(kind) and kind.tz is not None:
            return self._moment_of_micros(scalar.value)
        if pa.types.is_map(kind):
            pairs = scalar.values  # noqa: PD011  (of Arrow)
            return [(self._clamped(pair["key"]), self._clamped(pair["value"])) for pair in pairs]
        if pa.types.is_list(kind):
            return [self._clamped(item) for item in scalar]
        if pa.types.is_struct(kind):
            return {name: self._clamped(scalar[name]) for name in scalar}
        return _naive(scalar.as_py())

    def frame(self, elements: pa.StructArray) -> pd.DataFrame:
        """Convert the elements to a pandas DataFrame, as ``applyInPandas`` does."""
        import pyarrow as pa

        table = pa.Table.from_arrays(elements.flatten(), [field.name for field in elements.type])
        try:
            frame = table.to_pandas(date_as_object=True, coerce_temporal_nanoseconds=True)
        except pa.ArrowInvalid:  # a time before 1677 or after 2262 does not fit into nanoseconds
            frame = table.to_pandas(date_as_object=True)
        for field in elements.type:
            if pa.types.is_timestamp(field.type) and field.type.tz is not None:
                moments = frame[field.name].dt.tz_convert(self._time_zone)
                frame[field.name] = moments.dt.tz_localize(None)
        return frame

    def columns(self, what: str, frame: Any, fields: Sequence[pa.Field]) -> list[pa.Array]:
        """Convert the result of a function to Arrow columns of the declared types.

        Raises
        ------
        MisfitError
            If it is no DataFrame of exactly these columns, or a type does not fit.
        """
        import pandas as pd

        names = [field.name for field in fields]
        if not isinstance(frame, pd.DataFrame):
            raise MisfitError(
                f"{what} must be a pandas DataFrame of the columns {', '.join(names)}, got "
                f"{type(frame).__name__}: pd.DataFrame({{{', '.join(f'{name!r}: [..]' for name in names)}}})"
            )
        missing = [name for name in names if name not in frame.columns]
        more = [str(name) for name in frame.columns if name not in names]
        twice = [str(name) for name in frame.columns[frame.columns.duplicated()].unique()]
        if twice:
            raise MisfitError(f"{what} has two columns named {', '.join(twice)}: rename or drop one")
        if missing or more:
            raise MisfitError(
                f"{what} must have the columns {', '.join(names)}; missing: {', '.join(missing) or 'none'}, "
                f"too many: {', '.join(more) or 'none'}"
            )
        return [self._column(what, frame[field.name], field) for field in fields]

    def _column(self, what: str, series: pd.Series[Any], field: pa.Field) -> pa.Array:
        import pyarrow as pa

        try:
            values = self._moments(series) if pa.types.is_timestamp(field.type) else series
            return pa.Array.from_pandas(values, type=field.type, safe=True)
        except (ValueError, TypeError, OverflowError, pa.ArrowException) as error:
            raise MisfitError(
                f"{what} has {field.name!r} as {series.dtype}, and the schema has it as {_sql(field.type)}: "
                f"cast one of them. {error}"
            ) from error

    def _moments(self, series: pd.Series[Any]) -> pd.Series[Any]:
        import pandas as pd

        if isinstance(series.dtype, pd.DatetimeTZDtype):
            return series
        if pd.api.types.is_numeric_dtype(series.dtype) and series.notna().any():
            raise TypeError('A number is no moment: pd.to_datetime(.., unit="ms")')
        return pd.to_datetime(series).dt.tz_localize(self._time_zone, ambiguous=False)


class MisfitError(Exception):
    """Result of a function that does not match its declaration."""


def cast_to(rows: pa.Array, to: pa.DataType) -> pa.Array:
    """Cast rows to a type, if they have another one."""
    return rows if rows.type == to else rows.cast(to, safe=False)


def _sql(kind: pa.DataType) -> str:
    """Return the SQL name of a type."""
    from pyspark.sql.pandas.types import from_arrow_type

    return from_arrow_type(kind).simpleString()


def _naive(value: Any) -> Any:
    """Drop time zones: all times are in that of the session."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, dict):
        return {name: _naive(field) for name, field in value.items()}
    if isinstance(value, list):
        return [_naive(item) for item in value]
    return value
