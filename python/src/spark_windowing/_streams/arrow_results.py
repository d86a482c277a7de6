"""Conversion of the results of the user's function to Arrow, in the time zone of the session.

The module is pickled by value, as Spark's Python workers may not have this package. So is `arrow_values`, the
only module of the package that it imports.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from spark_windowing._streams.arrow_values import zone_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    import pandas as pd
    import pyarrow as pa


class ArrowResults:
    """Converter of results: a naive time for a TIMESTAMP is one of the session, at every depth."""

    def __init__(self, time_zone: str) -> None:
        """Store the time zone of the session."""
        self._time_zone = time_zone

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
            return pa.Array.from_pandas(self._written(series, field.type), type=field.type, safe=True)
        except (ValueError, TypeError, OverflowError, AttributeError, pa.ArrowException) as error:
            raise MisfitError(
                f"{what} has {field.name!r} as {series.dtype}, and the schema has it as {_sql(field.type)}: "
                f"cast one of them. {error}"
            ) from error

    def _written(self, series: pd.Series[Any], kind: pa.DataType) -> Any:
        """Return the values in a form that Arrow takes for this type."""
        import pyarrow as pa

        if pa.types.is_timestamp(kind):
            return self._moments(series, has_zone=kind.tz is not None)
        write = self._writer(kind)
        return series if write is None else [_written(value, write) for value in series]

    def _moments(self, series: pd.Series[Any], *, has_zone: bool) -> Any:
        import pandas as pd
        import pyarrow as pa

        if isinstance(series.dtype, pd.ArrowDtype):
            series = pa.array(series).to_pandas()
        if isinstance(series.dtype, pd.DatetimeTZDtype):
            return series
        if not pd.api.types.is_datetime64_dtype(series.dtype):
            write = self._moment if has_zone else _moment
            return [_written(value, write) for value in series]
        if not has_zone:
            return series
        moments = series.dt.tz_localize(self._time_zone, **_AS_SPARK)
        if len(skipped := series[moments.isna() & series.notna()]):
            raise ValueError(self._skipped(skipped.iloc[0]))
        return moments

    def _moment(self, value: Any) -> datetime:
        """Return a time with a zone, by the rules of `_moments`."""
        import pandas as pd

        moment = _moment(value)
        if moment.tzinfo is not None:
            return moment
        if not pd.Timestamp.min < pd.Timestamp(moment) < pd.Timestamp.max:
            zone = zone_of(self._time_zone)
            localize: Callable[[datetime], datetime] | None = getattr(zone, "localize", None)  # of pytz
            return moment.replace(tzinfo=zone) if localize is None else localize(moment)
        there = pd.Timestamp(moment).tz_localize(self._time_zone, **_AS_SPARK)
        if there is pd.NaT:
            raise ValueError(self._skipped(moment))
        made: datetime = there.to_pydatetime()
        return made

    def _skipped(self, moment: datetime) -> str:
        zone = self._time_zone
        return (
            f"The clocks of {zone} skip {moment}: add to times that have a zone, "
            f'rows.ts.dt.tz_localize("{zone}", ambiguous=False) + pd.Timedelta(..), or set the zone of the '
            'session to UTC, spark.conf.set("spark.sql.session.timeZone", "UTC")'
        )

    def _writer(self, kind: pa.DataType) -> Callable[[Any], Any] | None:
        """Return a function of single values for a type, None if Arrow takes them as they are."""
        import pyarrow as pa

        if pa.types.is_timestamp(kind):
            return None if kind.tz is None else self._moment
        if pa.types.is_map(kind):
            return _map_writer(self._writer(kind.key_type), self._writer(kind.item_type))
        if pa.types.is_struct(kind):
            writers = [self._writer(field.type) for field in kind]
            as_it_is = not any(writers) and not any(field.metadata for field in kind)
            return None if as_it_is else _struct_writer(kind.names, writers)
        if pa.types.is_list(kind) or pa.types.is_large_list(kind):
            write = self._writer(kind.value_type)
            return None if write is None else lambda values: [_written(value, write) for value in values]
        return None


class MisfitError(Exception):
    """Result of a function that does not match its declaration."""


# The later of the two times that clocks show twice, as PySpark takes it.
_AS_SPARK: dict[str, Any] = {"ambiguous": False, "nonexistent": "NaT"}


def _moment(value: Any) -> datetime:
    """Return a time, or the text of one, as a datetime."""
    import pandas as pd

    if pd.api.types.is_number(value):
        raise TypeError('A number is no moment: pd.to_datetime(.., unit="ms")')
    made: datetime = pd.Timestamp(value).to_pydatetime(warn=False)
    return made


def _map_writer(
    key: Callable[[Any], Any] | None, item: Callable[[Any], Any] | None
) -> Callable[[Any], list[tuple[Any, Any]]]:
    """Return a function that writes a map, a dict or pairs, as pairs."""

    def write(given: Any) -> list[tuple[Any, Any]]:
        pairs = given.items() if isinstance(given, Mapping) else given
        return [(_written(name, key), _written(value, item)) for name, value in pairs]

    return write


def _struct_writer(
    names: list[str], writers: list[Callable[[Any], Any] | None]
) -> Callable[[Any], dict[str, Any]]:
    """Return a function that writes a struct: a dict, a tuple, or an object of PySpark such as a variant."""

    def write(given: Any) -> dict[str, Any]:
        if isinstance(given, Mapping):
            values = [given.get(name) for name in names]
        elif isinstance(given, tuple):
            values = list(given)
        else:
            values = [getattr(given, name) for name in names]
        return {name: _written(v, write) for name, v, write in zip(names, values, writers, strict=True)}

    return write


def _written(value: Any, write: Callable[[Any], Any] | None) -> Any:
    if write is None:
        return value
    return None if _is_null(value) else write(value)


def _is_null(value: Any) -> bool:
    import pandas as pd

    return value is None or (pd.api.types.is_scalar(value) and bool(pd.isna(value)))


def _sql(kind: pa.DataType) -> str:
    """Return the SQL name of a type."""
    from pyspark.sql.pandas.types import from_arrow_type

    return from_arrow_type(kind, True).simpleString()  # noqa: FBT003  (a time without a zone is an NTZ)
