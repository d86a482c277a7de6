"""The forms that aggregate and agg take: those of PySpark's GroupedData.agg, and SQL text."""

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from spark_windowing import sim

pytestmark = pytest.mark.spark

# Names of functions that PySpark's agg has in classic sessions, and the names of their results
CLASSIC = [
    ({"price": "mean"}, "avg(price)"),
    ({"price": "average"}, "avg(price)"),
    ({"price": "std"}, "stddev(price)"),
    ({"price": "size"}, "count(price)"),
    ({"*": "size"}, "count(1)"),
]
in_classic = pytest.mark.classic(
    "by Spark Connect PySpark's own agg shows these functions otherwise, or has none"
)
DICTS = [
    {"price": "sum", "*": "count"},
    {"price": "MAX"},
    {"price": "collect_list", "ts": "min"},
    {"`price`": "first"},
    *(pytest.param(functions, marks=in_classic) for functions, _ in CLASSIC),
]


@pytest.fixture
def windows(clicks):
    return sw.key_by(clicks, "user", time="ts").time_window("10 seconds")


@pytest.mark.parametrize("functions", DICTS, ids=str)
def test_a_dict_gives_what_it_gives_in_pyspark(windows, clicks, functions):
    ours = windows.agg(functions)
    theirs = clicks.groupBy("user", F.window("ts", "10 seconds")).agg(functions)
    assert ours.columns == theirs.columns
    assert sorted(ours.collect()) == sorted(theirs.collect())


@pytest.mark.parametrize(("functions", "name"), CLASSIC, ids=str)
def test_classic_names_are_known_in_every_session(windows, functions, name):
    assert windows.agg(functions).columns == ["user", "window", name]


def test_sql_text_gives_what_its_columns_give(windows):
    ours = windows.aggregate("sum(price) AS spent", "count(*) AS n", "max(price) - min(price)", F.max("ts"))
    assert ours.columns == ["user", "window", "spent", "n", "(max(price) - min(price))", "max(ts)"]
    rows = sorted((row.user, row.spent, row.n) for row in ours.collect())
    assert rows == [("a", 5, 1), ("a", 7, 2), ("b", 7, 1)]


def test_a_stream_takes_them_too(spark):
    rate = spark.readStream.format("rate").load().withWatermark("timestamp", "0 seconds")
    stream = rate.selectExpr("'a' AS user", "1 AS price", "timestamp AS ts")
    windows = sw.key_by(stream, "user").time_window("10 seconds")
    steps = [sim.element(user="a", price=3, ts=1000), sim.element(user="a", price=4, ts=2000), sim.end()]
    for result in (windows.agg({"price": "sum"}), windows.agg("sum(price)")):
        run = sw.simulate(result, steps)
        assert [row["sum(price)"] for step in run.steps for row in step.main] == [7]


def test_text_that_spark_cannot_read_and_functions_that_it_does_not_have_are_spark_s_errors(windows):
    from pyspark.errors import AnalysisException

    for wrong in ("sum(price", "nothing(price)", {"price": "nothing"}, {"nothing": "sum"}):
        with pytest.raises(AnalysisException):
            windows.aggregate(wrong)


def test_a_process_function_follows_a_dict(windows):
    def double(key, context, sums):
        return sums.assign(twice=2 * sums["sum(price)"])[["twice"]]

    result = windows.aggregate({"price": "sum"}, process=double, schema="twice long")
    assert sorted(row.twice for row in result.collect()) == [10, 14, 14]
