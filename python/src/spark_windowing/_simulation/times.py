"""Times as Spark reads and returns them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Row, SparkSession

    from spark_windowing._simulation.steps import Time


def micros_of(spark: SparkSession, times: Sequence[Time]) -> list[int]:
    """Return the microseconds since the epoch of each time.

    Text without a zone is read in the session's time zone, a naive datetime in Python's, as by
    ``createDataFrame``; an int is epoch milliseconds.

    Raises
    ------
    ValueError
        If Spark cannot read a text.
    """
    from pyspark.sql.types import TimestampType

    texts = list(dict.fromkeys(time for time in times if isinstance(time, str)))
    read = dict(zip(texts, _parse(spark, texts), strict=True))
    result = []
    for time in times:
        if isinstance(time, str):
            result.append(read[time])
        elif isinstance(time, datetime):
            result.append(TimestampType().toInternal(time))
        else:
            result.append(time * 1000)
    return result


def window_of(start: int, end: int) -> Row:
    """Return a window of epoch milliseconds as a row, as in results."""
    from pyspark.sql import Row

    return Row("start", "end")(moment_of(start * 1000), moment_of(end * 1000))


def bounds_of(window: Row) -> tuple[int, int]:
    """Return start and end of a window in epoch milliseconds."""
    return millis_of(window[0]), millis_of(window[1])


def millis_of(moment: datetime) -> int:
    """Return the epoch milliseconds of a timestamp as PySpark gives it: naive, in Python's time zone."""
    try:
        return round(moment.timestamp() * 1000)
    except (OverflowError, ValueError, OSError):  # near the first or last year of datetime
        return (moment.replace(tzinfo=None) - datetime(1970, 1, 1)) // timedelta(milliseconds=1)  # noqa: DTZ001


def moment_of(micros: int) -> datetime:
    """Return epoch microseconds as PySpark gives a timestamp: naive, in Python's time zone.

    A time out of range becomes ``datetime.min`` or ``datetime.max``.
    """
    try:
        moment = datetime.fromtimestamp(micros // 1_000_000)  # noqa: DTZ006  (as PySpark does)
    except (OverflowError, ValueError, OSError):
        return datetime.max if micros > 0 else datetime.min  # noqa: DTZ901
    return moment.replace(microsecond=micros % 1_000_000)


def _parse(spark: SparkSession, texts: list[str]) -> list[int]:
    from pyspark.sql import functions as F

    if not texts:
        return []
    micros = [F.unix_micros(F.try_to_timestamp(F.lit(text))) for text in texts]
    values: list[int | None] = spark.sql("SELECT 1").select(F.array(*micros)).head()[0]  # type: ignore[index]
    read = []
    for text, value in zip(texts, values, strict=True):
        if value is None:
            raise ValueError(f"{text!r} is no time that Spark can read: write '2026-01-01T00:00:00Z'")
        read.append(value)
    return read
