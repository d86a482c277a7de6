"""The message of a question: its document, with DataFrames and columns by number."""

import json
from datetime import timedelta

import pytest
from pyspark.sql.types import IntegerType, StructField, StructType

import spark_windowing as sw
from spark_windowing._gateway.message import Message


def fields(**values):
    return {name: value for name, value in json.loads(Message("ask", values).text).items() if name in values}


def test_a_message_says_who_asks_and_what():
    read = json.loads(Message("side_output", {"tag": "late"}).text)
    assert read == {"protocol": 2, "version": sw.__version__, "ask": "side_output", "tag": "late"}


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (True, True),
        (3, 3),
        ("text", "text"),
        (None, None),
        (0.1, {"real": "0.1"}),
        (float("nan"), {"real": "NaN"}),
        (float("-inf"), {"real": "-Infinity"}),
        (float("inf"), {"real": "Infinity"}),
        (timedelta(minutes=5), {"ms": 300_000}),
        ((1, [2]), [1, [2]]),
        ({"ddl": "a int"}, {"ddl": "a int"}),
        (
            StructType([StructField("a", IntegerType())]),
            {
                "schema": {
                    "type": "struct",
                    "fields": [{"name": "a", "type": "integer", "nullable": True, "metadata": {}}],
                }
            },
        ),
        (
            sw.PurgingTrigger.of(sw.CountTrigger.of(2)),
            {
                "class": "dev.sparkwindowing.triggers.PurgingTrigger",
                "method": "of",
                "arguments": [
                    {
                        "class": "dev.sparkwindowing.triggers.CountTrigger",
                        "method": "of",
                        "arguments": [2],
                    }
                ],
            },
        ),
        (
            sw.jvm("com.acme.EveryNth", 3, (0.5,)),
            {
                "class": "dev.sparkwindowing.interop.ClassParts",
                "method": "make",
                "arguments": ["com.acme.EveryNth", [3, [{"real": "0.5"}]]],
            },
        ),
        (
            sw.WatermarkStrategy.no_watermarks(),
            {
                "made_by": {
                    "class": "dev.sparkwindowing.watermarks.WatermarkStrategy",
                    "method": "noWatermarks",
                    "arguments": [],
                }
            },
        ),
        (
            sw.WatermarkStrategy.for_bounded_out_of_orderness("5 s")
            .with_idleness("1 minute", bounded_by_clock=False)
            .with_max_ahead_of_clock("1 s"),
            {
                "made_by": {
                    "class": "dev.sparkwindowing.watermarks.WatermarkStrategy",
                    "method": "forBoundedOutOfOrderness",
                    "arguments": [{"ms": 5000}],
                },
                "idleness": {"ms": 60_000},
                "bounded_by_clock": False,
                "max_ahead_of_clock": {"ms": 1000},
            },
        ),
    ],
)
def test_values(value, written):
    assert fields(value=value) == {"value": written}


def test_a_value_that_cannot_be_sent_is_refused():
    with pytest.raises(TypeError, match="cannot be sent to Spark: give numbers, texts or durations"):
        fields(value=object())


@pytest.mark.spark
def test_frames_and_columns_are_numbered_in_order_and_sent_once(spark):
    from pyspark.sql import functions as F

    one, two, column = spark.range(1), spark.range(2), F.col("id")
    made = Message("ask", {"frames": [one, two, one], "columns": [column, F.col("id"), column]})
    assert list(map(id, made.frames)) == [id(one), id(two)]
    assert (id(made.columns[0]), len(made.columns)) == (id(column), 2)
    read = json.loads(made.text)
    assert read["frames"] == [{"frame": 0}, {"frame": 1}, {"frame": 0}]
    assert read["columns"] == [{"column": 0}, {"column": 1}, {"column": 0}]
