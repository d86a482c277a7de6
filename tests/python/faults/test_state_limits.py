"""How large the state of a key may be, as settings of the session."""

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import functions as F

import spark_windowing as sw

pytestmark = pytest.mark.spark


@pytest.fixture
def limit(spark):
    """Set the limit for one test."""
    yield lambda value: spark.conf.set("spark.windowing.state.maxBytes", value)
    spark.conf.unset("spark.windowing.state.maxBytes")


def run(spark, folder):
    rows = spark.range(0, 300, 1, 1).select(
        F.lit("a").alias("user"), F.timestamp_millis("id").alias("ts"), "id"
    )
    rows.write.mode("overwrite").parquet(str(folder / "in"))
    stream = spark.readStream.schema(rows.schema).parquet(str(folder / "in")).withWatermark("ts", "0 seconds")
    kept = (
        sw.key_by(stream, "user")
        .time_window("10 seconds")
        .process(lambda key, context, rows: rows, "id long")
    )
    query = (
        kept.writeStream.format("noop")
        .option("checkpointLocation", str(folder / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return query


def test_a_key_that_keeps_too_much_stops_the_query_which_goes_on_with_a_higher_limit(spark, limit, tmp_path):
    limit("5000")
    with pytest.raises(StreamingQueryException) as raised:
        run(spark, tmp_path)
    text = str(raised.value)
    assert "the state of the key [a] has " in text
    assert (
        "more than 5000 (spark.windowing.state.maxBytes); the window [1970-01-01T00:00:00Z, 1970-01-01T00:00:10Z) has the most, "
        in text
    )
    assert "Aggregate instead of keeping rows" in text
    limit("1m")
    metrics = run(spark, tmp_path).lastProgress["stateOperators"][0]["customMetrics"]
    assert 5000 < metrics["stateBytes"] < 1 << 20


def test_a_limit_that_is_none_is_refused_with_the_line_to_type(spark, limit, tmp_path):
    limit("plenty")
    with pytest.raises(StreamingQueryException) as raised:
        run(spark, tmp_path)
    assert (
        "spark.windowing.state.maxBytes must be a positive number of bytes such as 64m, at most 1024m, got 'plenty': "
        'spark.conf.set("spark.windowing.state.maxBytes", "64m")'
    ) in str(raised.value)
