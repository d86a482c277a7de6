"""Advice on the delay of a watermark, in Python: arguments, and the answer as data."""

from datetime import timedelta

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw

pytestmark = pytest.mark.spark


@pytest.fixture
def came(spark):
    """Rows of two partitions, of which one lags: partition, micro-batch, second."""
    rows = [("a", 0, 10), ("a", 1, 20), ("b", 1, 2), ("a", 2, 30), ("b", 2, 3), ("b", 3, 40), ("a", 3, None)]
    frame = spark.createDataFrame(rows, "p string, batch int, second int")
    return frame.withColumns(
        {"ts": F.timestamp_seconds("second"), "at": F.timestamp_seconds(F.col("batch") * 60)}
    )


def test_what_a_delay_keeps_as_data_and_in_words(came):
    advice = sw.advise(came, time="ts", arrived="batch", keep=[0.8, 1])
    assert (advice.rows, advice.unknown, advice.behind) == (7, 1, 2)
    assert advice.delays == (
        sw.Delay(timedelta(seconds=17), 0, 1.0),
        sw.Delay(timedelta(seconds=8), 1, 5 / 6),
    )
    assert str(advice).startswith(
        "Of 6 rows 2 came behind a later one. Of 1 more the event time or the arrival is not known."
    )
    assert advice._repr_html_() == f"<pre>{advice.text}</pre>"


def test_times_of_arrival_are_divided_into_micro_batches(came):
    numbered = sw.advise(came, time="ts", arrived="batch")
    assert sw.advise(came, time=F.col("ts"), arrived="at", every=timedelta(minutes=1)) == numbered
    assert sw.advise(came, time="ts", arrived="at", every="1 hour").behind == 0


def test_rows_that_came_at_no_known_time_count_for_nothing(came):
    unknown = came.withColumn("batch", F.when(F.col("second") != 40, F.col("batch")))
    advice = sw.advise(unknown, time="ts", arrived="batch")
    assert (advice.rows, advice.unknown, advice.behind) == (7, 2, 2)


def test_a_partition_that_lags_is_not_behind_itself(came):
    advice = sw.advise(came, time="ts", arrived="batch", per_partition="p", keep=[0.5, 1])
    assert (advice.behind, advice.delays) == (
        1,
        (sw.Delay(timedelta(seconds=8), 0, 1.0), sw.Delay(timedelta(0), 1, 5 / 6)),
    )


def test_what_is_wrong_is_refused(came, spark):
    with pytest.raises(TypeError, match="time"):
        sw.advise(came, time=3, arrived="batch")
    with pytest.raises(TypeError, match="keep takes a list of shares from 0 to 1, got"):
        sw.advise(came, time="ts", arrived="batch", keep="all")
    with pytest.raises(ValueError, match="keep must be shares from 0 to 1, got 90"):
        sw.advise(came, time="ts", arrived="batch", keep=[90])
    with pytest.raises(ValueError, match="keep must be shares from 0 to 1, got none"):
        sw.advise(came, time="ts", arrived="batch", keep=[])
    with pytest.raises(ValueError, match="every must be positive"):
        sw.advise(came, time="ts", arrived="batch", every="0 seconds")
    with pytest.raises(
        ValueError, match="arrived must be a TIMESTAMP, or the number of a micro-batch, got STRING"
    ):
        sw.advise(came, time="ts", arrived="p")
    with pytest.raises(
        ValueError, match=r"advise takes a static DataFrame, and got a stream: .* spark\.read"
    ):
        sw.advise(spark.readStream.format("rate").load(), time="timestamp", arrived="value")
