"""The jar in a session: at the first use, from the start, in other threads and in the next session."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.utils import is_remote

import spark_windowing as sw
from both_sessions import another
from shared import CHECKPOINTS
from spark_windowing._gateway.compatibility import line_of

pytestmark = pytest.mark.spark

COUNT = """
def count(spark):
    from pyspark.sql import functions as F
    df = spark.range(6).select((F.col("id") % 2).alias("k"), F.timestamp_seconds("id").alias("ts"))
    result = sw.key_by(df, "k", time="ts").time_window("1 minute").aggregate(F.count("*").alias("n"))
    return sorted((row.k, row.n) for row in result.collect())

def start(builder):
    return builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
"""


def test_attaching_twice_changes_nothing(spark):
    sw.attach(spark)
    sw.attach()
    assert sw.doctor(spark).ok


def test_other_threads_and_sessions_need_nothing(spark, clicks):
    counts = []

    def work(session):
        df = session.createDataFrame(clicks.collect(), clicks.schema)
        result = sw.key_by(df, "user", time="ts").time_window("1 minute").aggregate(F.count("*").alias("n"))
        counts.append(result.count())

    sw.attach(spark)
    for session in (spark, another(spark)):
        thread = Thread(target=work, args=(session,))
        thread.start()
        thread.join()
    assert counts == [2, 2]


def test_a_thread_without_an_active_session_takes_that_of_the_process(spark):
    found = []

    def work():
        sw.attach()
        found.extend(finding.found for finding in sw.doctor().findings if finding.subject == "session")

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert len(found) == 1
    scala = f", Scala {line_of(spark.version).scala}."
    assert found[0].startswith(f"Spark {spark.version}{' by Spark Connect' if is_remote() else scala}")


@pytest.mark.classic("the report of Spark Connect has other lines: connect/test_windows.py")
def test_the_report_names_versions_and_jar(spark):
    report = sw.doctor(spark)
    assert report.ok, report
    assert report.problems == ()
    found = {finding.subject: finding.found for finding in report.findings}
    assert list(found) == [
        "spark-windowing",
        "pyspark",
        "Java",
        "session",
        "bundled jar",
        "spark.jars",
        "operator",
        "state store",
        "micro-batches",
        "Python workers",
    ]
    versions = line_of(spark.version).versions
    assert (
        found["bundled jar"]
        == f"{sw.jar_path()}, for Spark {versions}, since the session's Spark is {spark.version}"
    )
    assert spark.version in found["session"]
    assert found["operator"].startswith(f"attached, {sw.__version__} from ")
    assert found["state store"] == "HDFSBackedStateStoreProvider, a snapshot after 10 micro-batches"
    assert repr(report).splitlines()[-1] == "nothing is wrong"


@pytest.mark.classic("the report of Spark Connect does not have the settings of micro-batches")
def test_settings_that_shorten_micro_batches_are_told_and_are_no_problem(spark):
    session = another(spark)
    cores = spark.sparkContext.defaultParallelism

    def found():
        (finding,) = [one for one in sw.doctor(session).findings if one.subject == "micro-batches"]
        assert not finding.remedy
        return finding.found

    assert found() == f"2 state partitions on {cores} cores"
    session.conf.set("spark.sql.shuffle.partitions", "200")
    session.conf.unset("spark.sql.streaming.checkpointFileManagerClass")
    many, line, files = found().split("; ")
    assert many == f"200 state partitions on {cores} cores"
    exec(re.search(r"spark\.conf\.set\(.*\)(?= before)", line).group(), {"spark": session})
    assert found() == f"{cores} state partitions on {cores} cores; {files}"
    assert files == "on a local disk shorter with sw.configure(builder) before the session starts"
    session.conf.set("spark.sql.streaming.checkpointFileManagerClass", CHECKPOINTS)
    assert found() == f"{cores} state partitions on {cores} cores"


@pytest.mark.classic("the report of Spark Connect does not have the state store")
def test_a_state_store_whose_start_reads_many_changes_is_reported(spark):
    session = another(spark)
    store = "spark.sql.streaming.stateStore"

    def found(**settings):
        for name, value in settings.items():
            session.conf.set(f"{store}.{name.replace('_', '.')}", value)
        (finding,) = [one for one in sw.doctor(session).findings if one.subject == "state store"]
        return finding.found, finding.remedy

    remedy = f'spark.conf.set("{store}.minDeltasForSnapshot", "10")'
    again = "a start reads the changes of up to 1,000 micro-batches again"
    assert found(minDeltasForSnapshot="1000") == (f"HDFSBackedStateStoreProvider: {again}", remedy)
    rocksdb = "RocksDBStateStoreProvider"
    package = "org.apache.spark.sql.execution.streaming.state"
    assert found(providerClass=f"{package}.{rocksdb}") == (f"{rocksdb}, a snapshot in each micro-batch", "")
    changelog = "rocksdb_changelogCheckpointing_enabled"
    assert found(**{changelog: "true"}) == (f"{rocksdb}: {again}", remedy)
    exec(remedy, {"spark": session})
    assert found() == (f"{rocksdb}, a snapshot after 10 micro-batches", "")


def test_configure_keeps_what_the_builder_has():
    builder = SparkSession.builder.config("spark.jars", "/other.jar").config(
        "spark.sql.extensions", "a.B,c.D"
    )
    options = sw.configure(builder)._options
    assert options["spark.jars"] == f"/other.jar,{sw.jar_path()}"
    assert options["spark.sql.extensions"] == "a.B,c.D,dev.sparkwindowing.SparkWindowingExtensions"
    assert sw.configure(builder)._options == options
    files = "spark.hadoop.fs.AbstractFileSystem.file.impl"
    assert options[files] == "dev.sparkwindowing.spark.checkpoint.LocalCheckpointFs"
    assert sw.configure(SparkSession.builder.config(files, "a.B"))._options[files] == "a.B"


def test_configure_leaves_the_builder_of_a_server_elsewhere_as_it_is(monkeypatch):
    monkeypatch.setenv("SPARK_REMOTE", "sc://host:15002")
    assert sw.configure(SparkSession.builder)._options == {}
    monkeypatch.delenv("SPARK_REMOTE")
    builder = SparkSession.builder.config("spark.remote", "sc://host:15002")
    assert sw.configure(builder)._options == {"spark.remote": "sc://host:15002"}


@pytest.mark.classic("starts a classic session in a process of its own")
def test_a_configured_session_starts_no_process_for_a_local_checkpoint(tmp_path):
    log = tmp_path / "started"
    log.write_text("")
    for name in ("chmod", "ls", "readlink"):
        wrapper = tmp_path / "bin" / name
        wrapper.parent.mkdir(exist_ok=True)
        wrapper.write_text(f'#!/bin/sh\necho {name} >> {log}\nexec {shutil.which(name)} "$@"\n')
        wrapper.chmod(0o755)
    code = f"""
import subprocess
import spark_windowing as sw
from spark_windowing._gateway.compatibility import line_of
from pyspark.sql import SparkSession, functions as F
spark = start(sw.configure(SparkSession.builder.config("spark.sql.shuffle.partitions", "2")))
rows = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 10).load()
result = sw.key_by(rows.withWatermark("timestamp", "1 second"), "value").time_window("1 minute").aggregate(
    F.count("*").alias("n")
)
writer = result.writeStream.format("noop").trigger(processingTime="0 seconds")
log = open({str(log)!r})
log.seek(0, 2)  # behind those of the start of the session
query = writer.option("checkpointLocation", {str(tmp_path / "checkpoint")!r}).start()
while (query.lastProgress or {{"batchId": 0}})["batchId"] < 3:
    query.awaitTermination(0.1)
query.stop()
print(len(log.readlines()))
subprocess.run(["chmod", "--version"], stdout=subprocess.DEVNULL)
print(len(log.readlines()))
"""
    env = os.environ | {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    run = subprocess.run(
        [sys.executable, "-c", COUNT + code], capture_output=True, text=True, check=False, env=env
    )
    assert run.stdout.split() == ["0", "1"], run.stderr  # one more would have been seen


def test_a_session_after_the_first_one_works_too(python):
    code = """
import spark_windowing as sw
from spark_windowing._gateway.compatibility import line_of
from pyspark.sql import SparkSession
for _ in range(2):
    spark = start(SparkSession.builder)
    print(count(spark))
    spark.stop()
spark = start(sw.configure(SparkSession.builder))
print(count(spark))
spark.stop()
"""
    assert python(COUNT + code) == ["[(0, 3), (1, 3)]"] * 3


def test_a_configured_session_has_the_jar_from_the_start_and_a_wrong_path_is_reported(python):
    code = """
import spark_windowing as sw
from spark_windowing._gateway.compatibility import line_of
from pyspark.sql import SparkSession
spark = start(sw.configure(SparkSession.builder.config("spark.jars", "/no/such.jar")))
print(count(spark))
print(*[f"{finding.subject}: {finding.found}" for finding in sw.doctor().problems], sep="\\n")
print(sum("spark-windowing" in jar for jar in spark.conf.get("spark.jars").split(",")))
spark.stop()
"""
    counted, problem, jars = python(COUNT + code)
    assert counted == "[(0, 3), (1, 3)]"
    assert problem == "spark.jars: spark.jars names files that do not exist: /no/such.jar"
    assert jars == "1"


def test_a_jar_that_came_by_packages_is_the_only_one(python, tmp_path):
    code = """
import sys
import spark_windowing as sw
from pyspark.sql import SparkSession
spark = start(SparkSession.builder.config("spark.jars", sys.argv[1]))
print(count(spark))
jars = spark.sparkContext._jsc.sc().listJars()
print(*[jars.apply(i).rpartition("/")[2] for i in range(jars.size())])
print(*[finding.found for finding in sw.doctor().findings if finding.subject == "operator"])
spark.stop()
"""
    jar = tmp_path / f"dev.sparkwindowing_{Path(sw.jar_path()).name}"  # as Spark names it
    shutil.copy(sw.jar_path(), jar)
    assert python(COUNT + code, str(jar)) == [
        "[(0, 3), (1, 3)]",
        jar.name,
        f"attached, {sw.__version__} from {jar.name}",
    ]


@pytest.mark.classic("starts a classic session in a process of its own")
def test_the_doctor_of_the_command_line():
    run = subprocess.run(
        [sys.executable, "-m", "spark_windowing", "doctor"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout
    assert re.search(r"^ok +operator +attached", run.stdout, re.MULTILINE)
