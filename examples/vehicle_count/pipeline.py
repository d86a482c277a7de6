"""The pipeline: how many vehicles pass each toll gate in each 10 seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

import spark_windowing as sw

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def vehicle_counts(messages: DataFrame, early: str = "30 seconds") -> DataFrame:
    """Count the vehicles of each toll gate and window.

    An open window gives its count so far every `early` of the clock if vehicles came, the count on time when
    the watermark passes its end, and a new count for each vehicle that comes up to 2 minutes later than that.
    What comes later still, or cannot be read, goes to the side output ``late``.
    """
    return (
        sw.key_by(passages_of(messages).withWatermark("time", "5 minutes"), "tollgateID", time="time")
        .window(sw.TumblingEventTimeWindows.of("10 seconds"))
        .allowed_lateness("2 minutes")
        .trigger(sw.AfterWatermark.of(early=early))
        .side_output_late_data("late")
        .with_pane()
        .aggregate(F.count("*").alias("vehicles"))
    )


def passages_of(messages: DataFrame) -> DataFrame:
    """Read messages of Kafka such as ``{"tollgateID": "A7", "time": "2013-07-01T05:15:00Z"}``.

    The time is ISO text or epoch milliseconds. A message that is no JSON, or without gate or time, becomes a
    row without event time: it belongs to no window, and stops nothing.
    """
    fields = F.from_json(F.col("value").cast("string"), "tollgateID string, time string")
    passages = messages.select(fields["tollgateID"].alias("tollgateID"), _time(fields), *_origin())
    return passages.withColumn("time", F.when(F.col("tollgateID").isNotNull(), F.col("time")))


def _time(fields: Column) -> Column:
    text = fields["time"]
    milliseconds = F.when(text.rlike(r"^\d{1,14}$"), F.timestamp_millis(text.cast("bigint")))
    return milliseconds.when(text.rlike(r"^\d{4}-\d\d-\d\dT"), F.try_to_timestamp(text)).alias("time")


def _origin() -> tuple[Column, ...]:
    """Return what tells a message from all others, and its text."""
    return F.col("partition"), F.col("offset"), F.col("value").cast("string").alias("message")
