"""Parts that a user wrote in Java, in a jar of their own."""

import shutil
import subprocess
from pathlib import Path

import pyspark
import pytest

import spark_windowing as sw

pytestmark = pytest.mark.spark

# Java names the Seq of Scala 2.13 in this one.
NESTS = "EveryNthFiring.java"
ON_2_12 = pyspark.__version__.startswith("3.5.")
SOURCES = [
    path
    for path in sorted((Path(__file__).parent / "parts").glob("*.java"))
    if not (ON_2_12 and path.name == NESTS)
]

JOB = """
import sys
from pyspark.sql import SparkSession, functions as F
import spark_windowing as sw

builder = SparkSession.builder.master("local[1]").config("spark.jars", sys.argv[1])
if sys.argv[2] == "configured":
    builder = sw.configure(builder)
for name, value in {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1"}.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
clicks = spark.createDataFrame([("a", p) for p in [3, 0, 4, 5, 0, 6]], "user string, price int")
stream = sw.key_by(clicks, "user").window(sw.GlobalWindows.create())
if sys.argv[2] != "configured":
    try:
        stream.trigger(sw.jvm("EveryNth", 2))
    except ValueError as error:
        print(error)
    sys.exit()
fired = stream.trigger(sw.PurgingTrigger.of(sw.jvm("EveryNth", 2))).aggregate(F.collect_list("price").alias("l"))
print([row.l for row in fired.collect()])
twos = sw.key_by(clicks, "user").count_window(2)
print([row.price for row in twos.reduce(sw.jvm("Dearest")).collect()])
result = sw.key_by(clicks, "user").process(sw.jvm("Changes", "none"), "up int", side_outputs={"none": "who string"})
print([row.up for row in result.collect()], sw.all_outputs(result).columns)
by_user = sw.key_by(clicks, "user")
for refused in (lambda: by_user.process(sw.jvm("Dearest"), "up int"), lambda: stream.trigger(sw.jvm("Nothing")), lambda: twos.aggregate(sw.jvm("Dearest"))):
    try:
        refused()
    except ValueError as error:
        print(error)
spark.stop()
"""


NESTING = """
import sys
from pyspark.sql import SparkSession, functions as F
import spark_windowing as sw

folder = sys.argv[2]
builder = sw.configure(SparkSession.builder.master("local[1]").config("spark.jars", sys.argv[1]))
for name, value in {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1"}.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
clicks = spark.createDataFrame([("a", p) for p in [3, 0, 4, 5, 0, 6]], "user string, price int")
clicks.coalesce(1).write.mode("append").json(f"{folder}/clicks")
stream = spark.readStream.schema(clicks.schema).json(f"{folder}/clicks")

def fired(rows, trigger, **sink):
    whole = sw.key_by(rows, "user").window(sw.GlobalWindows.create())
    return whole.trigger(trigger).aggregate(F.collect_list("price").alias("l"))

def run(trigger):
    query = (
        fired(stream, trigger).writeStream.format("noop").outputMode("append")
        .option("checkpointLocation", f"{folder}/checkpoint").trigger(availableNow=True)
    )
    try:
        query.start().awaitTermination()
        print("ran")
    except Exception as error:
        print([part for part in str(error).split(". ") if "Changed" in part or "never ends" in part])

free = sw.ColumnTrigger.when("price = 0")
print([row.l for row in fired(clicks, sw.PurgingTrigger.of(sw.jvm("EveryNthFiring", free, 2))).collect()])
run(sw.jvm("EveryNthFiring", sw.CountTrigger.of(4), 2))
print([row.trigger for row in sw.read_state(spark, f"{folder}/checkpoint").collect()])
run(sw.jvm("EveryNthFiring", sw.CountTrigger.of(3), 2))
run(sw.jvm("EveryNthFiring", sw.EndOfStreamTrigger.create(), 2))
spark.stop()
"""


@pytest.fixture(scope="module")
def user_jar(tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("user")
    classes = tmp_path / "classes"
    libraries = f"{sw.jar_path()}:{Path(pyspark.__file__).parent}/jars/*"
    subprocess.run(["javac", "-nowarn", "-cp", libraries, "-d", str(classes), *map(str, SOURCES)], check=True)
    jar = shutil.make_archive(str(tmp_path / "user"), "zip", classes)
    return str(Path(jar).rename(tmp_path / "user.jar"))


def test_a_trigger_and_a_function_written_in_java(python, user_jar):
    fired, reduced, processed, no_process, missing, other = python(JOB, user_jar, "configured")
    assert (fired, reduced) == ("[[3, 0, 4], [5, 0, 6]]", "[3, 5, 6]")
    assert processed == "[3, 4, 5, 6] ['output', 'main', 'none']"
    assert no_process == (
        "process takes a class that implements dev.sparkwindowing.functions.KeyedProcessFunction, got Dearest"
    )
    assert missing == (
        'there is no class Nothing: hand its jar to Spark, .config("spark.jars", "/path/to/your.jar")'
    )
    assert other == (
        "aggregate takes a class that implements dev.sparkwindowing.functions.AggregateFunction, got Dearest"
    )


@pytest.mark.skipif(ON_2_12, reason="Spark 3.5 has Scala 2.12, whose Seq differs")
def test_a_trigger_written_in_java_that_nests_others(python, user_jar, tmp_path):
    """Columns inside it are bound, it is compared at a restart, and an endless trigger inside it is refused."""
    when, counted, state, changed, endless = python(NESTING, user_jar, str(tmp_path))
    assert when == "[[3, 0, 4, 5, 0]]"
    assert counted == "ran"
    assert state == """['{"count":2,"firings":1}']"""
    assert "trigger.1.maxCount: was 4, is 3" in changed
    assert "trigger.1: was CountTrigger(4), is EndOfStreamTrigger" in endless


def test_a_jar_that_spark_loaded_before_ours_is_refused_with_what_to_write(python, user_jar):
    (refused,) = python(JOB, user_jar, "attached")
    assert "give both to a new session, sw.configure(" in refused


def test_what_is_no_name_of_a_class_is_refused():
    with pytest.raises(TypeError, match="jvm takes the name of a class, got 3"):
        sw.jvm(3)
