"""Advice on the delay of a watermark, in Python: arguments, and the answer as data."""

import json
import os
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
        2,
        (sw.Delay(timedelta(seconds=8), 0, 1.0), sw.Delay(timedelta(0), 2, 4 / 6)),
    )


@pytest.fixture
def query(spark, tmp_path):
    """A query that has taken two micro-batches; of the second one rows are 0, 3 and 10 seconds behind the first."""
    for name, seconds in (("1", [130]), ("2", [140, 127, 120, None])):
        rows = [json.dumps({"second": second}) for second in seconds]
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / "in" / f"{name}.json").write_text("\n".join(rows))
        os.utime(tmp_path / "in" / f"{name}.json", (int(name),) * 2)  # Spark takes files by age
    rows = spark.readStream.schema("second long").option("maxFilesPerTrigger", 1).json(str(tmp_path / "in"))
    timed = rows.withColumn("ts", F.timestamp_seconds("second")).withWatermark("ts", "1 minute")
    counts = (
        sw.key_by(timed, F.lit(1).alias("all")).time_window("10 seconds").aggregate(F.count("*").alias("n"))
    )
    writer = counts.writeStream.format("noop").option("checkpointLocation", str(tmp_path / "checkpoint"))
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    return query


def test_a_query_has_measured_its_rows_in_buckets(query):
    advice = sw.advise(query, keep=[0.5, 0.75, 1])
    assert (advice.rows, advice.unknown, advice.behind) == (5, 1, 2)
    assert advice.delays == (
        sw.Delay(timedelta(seconds=16), 0, 1.0),
        sw.Delay(timedelta(seconds=4), 1, 0.75),
        sw.Delay(timedelta(0), 2, 0.5),
    )
    assert str(advice).startswith(
        "Of 4 rows in 2 micro-batches 2 came behind a later one. Of 1 more the event time or the arrival is not known."
    )
    assert "a delay of a little more than half may keep as many" in str(advice)


def test_columns_of_a_table_are_not_for_a_query(query):
    for name, value in {"time": "ts", "arrived": "batch", "per_partition": F.col("p")}.items():
        with pytest.raises(
            TypeError, match=f"{name} is a column of a table, and a query has measured its rows"
        ):
            sw.advise(query, **{name: value})
    with pytest.raises(ValueError, match=r"keep must be shares from 0 to 1, got 2\.0"):
        sw.advise(query, keep=[2])


def test_a_query_without_windows_has_measured_no_rows(spark, tmp_path):
    rate = spark.readStream.format("rate").load().writeStream.format("noop")
    query = rate.option("checkpointLocation", str(tmp_path)).trigger(availableNow=True).start()
    query.awaitTermination()
    with pytest.raises(ValueError, match="the query has measured no rows"):
        sw.advise(query)


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
