"""A server without plugin: what a client adds to its session, what it leaves there, and what it cannot ask for."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import spark_windowing as sw
from spark_windowing._builders.part import ScalaCall
from spark_windowing._gateway.message import Message

pytestmark = [
    pytest.mark.spark,
    pytest.mark.remote,
    pytest.mark.parametrize("way", ["artifacts"], indirect=True, scope="session"),
]

FUNCTION = "spark_windowing_message"


def counts(clicks):
    windows = sw.key_by(clicks, "user", time="ts").time_window("10 seconds")
    return windows.aggregate(F.count("*").alias("n"))


def names_in(spark):
    functions = [row[0] for row in spark.sql("SHOW USER FUNCTIONS").collect()]
    return [table.name for table in spark.catalog.listTables()], functions


def test_results_leave_no_view_and_no_table(spark, clicks):
    result = counts(clicks)
    assert result.count() == 3
    assert sw.side_output(windows_with_late(clicks), "late").count() == 0
    tables, functions = names_in(spark)
    assert tables == []
    assert [name for name in functions if "windowing" in name] == [FUNCTION]


def windows_with_late(clicks):
    windows = sw.key_by(clicks, "user", time="ts").time_window("10 seconds").side_output_late_data("late")
    return windows.aggregate(F.count("*").alias("n"))


def test_columns_of_a_result_are_found_beside_other_dataframes(clicks):
    result = counts(clicks)
    joined = result.join(clicks, result.user == clicks.user).select(result.user, result.n, clicks.price)
    assert sorted(tuple(row) for row in joined.where(result.n == 2).collect()) == [
        ("a", 2, 3),
        ("a", 2, 4),
        ("a", 2, 5),
    ]
    twice = result.alias("x").join(result.alias("y"), F.col("x.window") == F.col("y.window"))
    assert twice.count() == 5


def test_a_result_in_a_view_of_the_user(spark, clicks):
    counts(clicks).createOrReplaceTempView("counted")
    try:
        assert spark.sql("SELECT sum(n) AS n FROM counted").collect()[0].n == 4
    finally:
        spark.catalog.dropTempView("counted")


def test_another_session_has_nothing_of_it(server_url, spark, clicks):
    assert counts(clicks).count() == 3
    other = SparkSession.builder.remote(server_url).create()
    try:
        assert FUNCTION not in names_in(other)[1]
        with pytest.raises(
            Exception, match=r"UNRESOLVABLE_TABLE_VALUED_FUNCTION|cannot be resolved|not found"
        ):
            other.sql(f"SELECT * FROM {FUNCTION}(X'00')").collect()
    finally:
        other.stop()


def test_a_session_that_ended_takes_nothing_from_others(server_url):
    rows = [("a", 1)]
    for _ in range(2):
        client = SparkSession.builder.remote(server_url).create()
        frame = client.createDataFrame(rows, "user string, n int")
        assert sw.key_by(frame, "user").count_window(1).aggregate(F.sum("n").alias("n")).collect()[0].n == 1
        client.stop()
    plain = SparkSession.builder.remote(server_url).create()
    assert plain.range(10).groupBy((F.col("id") % 2).alias("k")).count().count() == 2
    plain.stop()


def sent(spark, ask, **fields):
    """The rows of a message that the package itself would not write."""
    from spark_windowing._gateway.connect_plan import connect_frame
    from spark_windowing._gateway.connect_way import Way

    return connect_frame(Message(ask, fields), spark, Way.FUNCTION).collect()


def test_hostile_messages_are_refused_as_by_the_plugin(spark, clicks):
    sw.attach(spark)
    runtime = ScalaCall("java.lang.Runtime", "getRuntime", ())
    rows = {"frame": clicks, "keys": [], "time": None, "on_missing_time": "late"}
    for ask, fields, said in [
        ("attach", {}, "asks 'attach', which is not on the list"),
        ("getClass", {}, "asks 'getClass', which is not on the list"),
        ("schema", {"ddl": {"session": "0000-of-another"}}, "contains an invalid value"),
        ("schema", {"ddl": {"class": "java.lang.Runtime"}}, "refuses the message"),
        ("check", {"declaration": {"rows": {**rows, "session": True}}}, "has an unknown field session"),
        ("check", {"declaration": {"rows": {**rows, "frame": {"frame": 7}}}}, "names DataFrame 7"),
        (
            "check",
            {"declaration": {"rows": rows, "windows": {"assigner": runtime}}},
            "is no part of a window",
        ),
    ]:
        with pytest.raises(Exception, match=said):
            sent(spark, ask, **fields)
    assert json.loads(sent(spark, "spark_line")[0][0]).startswith("4.")


@pytest.mark.parametrize(
    "argument", ["", "'text'", "X'00', X'00'", "1", "CAST(NULL AS BINARY)", "X'00FF00FF'", "X''"]
)
def test_hostile_arguments_are_refused(spark, argument):
    sw.attach(spark)
    with pytest.raises(
        Exception, match=r"refuses the message|binary literal|Protocol message|InvalidProtocol"
    ):
        spark.sql(f"SELECT * FROM {FUNCTION}({argument})").collect()


def test_a_further_jar_of_the_session_brings_parts_of_its_own(server_url, tmp_path):
    client = SparkSession.builder.remote(server_url).create()
    clicks = client.createDataFrame([("a", p) for p in [3, 0, 4, 5]], "user string, price int")
    windows = sw.key_by(clicks, "user").window(sw.GlobalWindows.create())
    classes = tmp_path / "classes"
    parts = Path(__file__).parents[1] / "builders" / "parts"
    libraries = os.pathsep.join([sw.jar_path(), str(Path(pyspark.__file__).parent / "jars" / "*")])
    sources = [str(file) for file in parts.glob("*.java")]
    subprocess.run(["javac", "-nowarn", "-cp", libraries, "-d", str(classes), *sources], check=True)
    jar = Path(shutil.make_archive(str(tmp_path / "parts"), "zip", classes)).rename(tmp_path / "parts.jar")
    client.addArtifact(str(jar))
    fired = windows.trigger(sw.PurgingTrigger.of(sw.jvm("EveryNth", 2))).aggregate(
        F.collect_list("price").alias("l")
    )
    assert [row.l for row in fired.collect()] == [[3, 0, 4]]
    client.stop()
