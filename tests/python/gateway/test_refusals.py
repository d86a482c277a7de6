"""Sessions that cannot be used, each refused by name at every public function that needs one."""

import inspect
import re

import pyspark
import pytest

import spark_windowing as sw

pytestmark = pytest.mark.spark

PRELUDE = """
import sys
import spark_windowing as sw
from pathlib import Path
from pyspark.sql import SparkSession
from spark_windowing._gateway import jar as bundled

def calls(df):
    tumbling = sw.TumblingEventTimeWindows.of("1 minute")
    strategy = sw.WatermarkStrategy.for_monotonous_timestamps()
    return {
        "assign_timestamps_and_watermarks": lambda: sw.assign_timestamps_and_watermarks(df, strategy, time="ts"),
        "with_clock": lambda: sw.with_clock(df, "1 minute"),
        "key_by": lambda: sw.key_by(df, "user"),
        "window_all": lambda: sw.window_all(df, tumbling),
        "time_window_all": lambda: sw.time_window_all(df, "1 minute"),
        "count_window_all": lambda: sw.count_window_all(df, 5),
        "side_output": lambda: sw.side_output(df, "late"),
        "all_outputs": lambda: sw.all_outputs(df),
        "upsert_to_delta": lambda: sw.upsert_to_delta(df, "clicks"),
        "upsert_to_iceberg": lambda: sw.upsert_to_iceberg(df, "lake.clicks"),
        "upsert_to_postgres": lambda: sw.upsert_to_postgres(df, "clicks", url="jdbc:postgresql:shop"),
        "explain": lambda: sw.explain(df),
        "read_state": lambda: sw.read_state(df.sparkSession, "checkpoint"),
        "rescale": lambda: sw.rescale(df.sparkSession, "checkpoint", "rescaled", 3),
        "migrate": lambda: sw.migrate("checkpoint", df, "migrated"),
        "simulate": lambda: sw.simulate(df, []),
        "why": lambda: sw.why(df, {"user": "ann"}),
        "advise": lambda: sw.advise(df, time="ts", arrived="batch"),
        "what_if": lambda: sw.what_if(sw.keyed().time_window("1 s").sum("n"), df, arrived="batch"),
        "attach": lambda: sw.attach(),
        "attach to it": lambda: sw.attach(df.sparkSession),
    }

def refused(calls):
    for name, call in calls.items():
        try:
            call()
        except sw.SparkWindowingError as error:
            print(f"{name}: {error.problem} -> {error.remedy}")
        else:
            print(f"{name}: works")

def start(**settings):
    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    for name, value in settings.items():
        builder = builder.config(name.replace("_", "."), value)
    return builder.getOrCreate()
"""

EVERY = [
    "assign_timestamps_and_watermarks",
    "with_clock",
    "key_by",
    "window_all",
    "time_window_all",
    "count_window_all",
    "side_output",
    "all_outputs",
    "upsert_to_delta",
    "upsert_to_iceberg",
    "upsert_to_postgres",
    "explain",
    "read_state",
    "rescale",
    "migrate",
    "simulate",
    "why",
    "advise",
    "what_if",
    "attach",
    "attach to it",
]
START = "spark = SparkSession.builder.getOrCreate()"


def problems(lines):
    """The problem and the remedy by call."""
    return {name: tuple(rest.split(" -> ")) for name, _, rest in (line.partition(": ") for line in lines)}


def test_no_session_no_jar_and_a_stopped_session(python, tmp_path):
    code = """
refused({"attach": sw.attach})
print("#")
spark = start()
df = spark.createDataFrame([("a", 1)], "user string, n int")
folder = bundled._FOLDER
bundled._FOLDER = Path(sys.argv[1])
refused(calls(df))
print("#")
print(*[f"{f.subject}: {f.found}" for f in sw.doctor().problems], sep="\\n")
print("#")
bundled._FOLDER = folder
earlier = sw.key_by(df, "user")
windows = earlier.count_window(2)
spark.stop()
refused({name: call for name, call in calls(df).items() if name != "attach"})
refused({"window": lambda: earlier.count_window(2), "join": lambda: sw.join(earlier, earlier)})
refused({"aggregate": lambda: windows.aggregate("count(*) AS n")})
print("#")
refused({"attach": sw.attach})
"""
    none, missing, doctor, stopped, after = "\n".join(python(PRELUDE + code, str(tmp_path))).split("\n#\n")
    assert none == f"attach: No SparkSession is running. -> {START}"
    found = problems(missing.splitlines())
    assert list(found) == EVERY
    for problem, remedy in found.values():
        assert f"in {tmp_path} there is no jar at all" in problem
        assert remedy.startswith("pip install --force-reinstall spark_windowing-")
    assert [line.partition(":")[0] for line in doctor.splitlines()] == ["bundled jar", "operator"]
    found = problems(stopped.splitlines())
    assert list(found) == [*(name for name in EVERY if name != "attach"), "window", "join", "aggregate"]
    assert set(found.values()) == {("The SparkSession was stopped.", START)}
    assert after == f"attach: No SparkSession is running. -> {START}"


def test_every_public_function_that_needs_a_session_is_among_them():
    needs_none = {"configure", "doctor", "jar_path", "jvm", "for_each_output"}
    needs_none |= {"monitor", "plot_windows", "plot_what_if"}  # of a query that runs, of rows that are there
    needs_none |= {"join", "co_group"}  # of keyed streams, which have one
    needs_none |= {"keyed"}  # which has no DataFrame yet
    functions = {name for name in sw.__all__ if inspect.isfunction(getattr(sw, name))}
    assert functions - needs_none == {name for name in EVERY if name != "attach to it"}


def test_another_spark_another_scala_and_the_classes_of_another_jar(python):
    code = """
from spark_windowing._gateway import compatibility
from spark_windowing._gateway.compatibility import Line
spark = start()
df = spark.createDataFrame([("a", 1)], "user string, n int")
lines = compatibility.LINES
for wrong in (Line((4, 4), (4, 5), "2.13"), Line((3, 3), (3, 4), "2.12"), Line((3, 5), (4, 4), "2.11")):
    compatibility.LINES = (wrong,)
    refused(calls(df))
    print("#")
compatibility.LINES = lines
compatibility.__version__ = "0.0.9"
refused(calls(df))
print("#")
print(*[f"{f.subject}: {f.found} -> {f.remedy}" for f in sw.doctor().problems], sep="\\n")
spark.stop()
"""
    older, newer, scala, jar, doctor = "\n".join(python(PRELUDE + code)).split("\n#\n")
    for lines, problem, remedy in (
        (
            older,
            "spark-windowing .* needs Spark 3.5 to 4.3, this is Spark [34]",
            'pip install "pyspark>=3.5,<4.4"',
        ),
        (newer, "spark-windowing .* does not support Spark [34].* yet", 'pip install "pyspark>=3.5,<4.4"'),
        (
            scala,
            "This Spark was built with Scala 2.1[23].*; the bundled jar needs Scala 2.11",
            "use a Spark built with Scala",
        ),
        (
            jar,
            f"The JVM holds the classes of spark-windowing {sw.__version__}, this package is 0.0.9",
            "restart the kernel",
        ),
    ):
        found = problems(lines.splitlines())
        assert list(found) == EVERY
        for said, line in found.values():
            assert re.match(problem, said)
            assert line.startswith(remedy)
    assert re.match(r"operator: The JVM holds the classes of .* -> restart the kernel", doctor)


@pytest.mark.skipif(pyspark.__version__.startswith("3.5."), reason="PySpark 3.5 brings no server of Connect")
def test_a_session_of_connect_that_starts_its_server_has_windows(python):
    code = """
import os
from pyspark.sql import functions as F
os.environ["SPARK_TESTING"] = "1"  # the server takes any free port
spark = (
    SparkSession.builder.remote("local[1]")
    .config("spark.connect.grpc.binding.address", "127.0.0.1")
    .config("spark.ui.enabled", "false")
    .getOrCreate()
)
df = spark.createDataFrame([("a", 1), ("a", 2)], "user string, n int")
print([tuple(row) for row in sw.key_by(df, "user").count_window(2).aggregate(F.sum("n").alias("sum")).collect()])
print([f.found for f in sw.doctor().problems])
spark.stop()
"""
    rows, found = python(PRELUDE + code)
    assert rows == "[('a', None, 3)]"
    assert found == "[]"


def test_a_jar_without_the_classes_is_refused(python, tmp_path):
    code = """
import zipfile
folder, name = Path(sys.argv[1]), Path(sw.jar_path()).name
bundled._FOLDER = folder
with zipfile.ZipFile(folder / name, "w") as jar:
    jar.writestr("README", "nothing")
spark = start()
refused({"attach": sw.attach})
spark.stop()
"""
    (line,) = python(PRELUDE + code, str(tmp_path))
    assert "was added to the session, but it holds no class dev.sparkwindowing.interop.Gateway$." in line
