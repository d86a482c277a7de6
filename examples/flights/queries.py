"""The three queries: what a window is, when it fires, and what is computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

import spark_windowing as sw

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def departures_by_hour(flights: DataFrame) -> DataFrame:
    """Count the departures of each airport by the hour.

    An hour fires when the watermark passes its end, and again, with the new count, for each flight that comes
    until the watermark is two hours further. What comes later, or never departed, goes to the side output
    ``late``.
    """
    return (
        sw.key_by(flights, "origin", time="departed")
        .window(sw.TumblingEventTimeWindows.of("1 hour"))
        .allowed_lateness("2 hours")
        .side_output_late_data("late")
        .aggregate(F.count("*").alias("departures"), F.avg("delay").alias("mean_delay"))
    )


def working_stretches(flights: DataFrame) -> DataFrame:
    """Find the stretches in which an aircraft left New York again within twelve hours."""
    return (
        sw.key_by(flights, "tailnum", time="departed", on_missing_time="drop")
        .window(sw.EventTimeSessionWindows.with_gap("12 hours"))
        .aggregate(F.count("*").alias("flights"), F.sum("delay").alias("delay"))
    )


def last_hundred(flights: DataFrame) -> DataFrame:
    """Look at the last 100 flights of each carrier after every 10, in order of arrival."""
    return (
        sw.key_by(flights, "carrier")
        .count_window(100, 10)
        .aggregate(
            F.count("*").alias("flights"),
            F.avg("delay").alias("mean_delay"),
            F.count_if(F.col("delay").isNull()).alias("cancelled"),
            F.max("scheduled").alias("until"),
        )
    )
