"""Times as Spark reads them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

    from spark_windowing.sim import Time


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
