"""Pipelines with windows, by the real command, from dry run to a run after a failure."""

import json
import re
import shutil
import tempfile
from collections import Counter
from pathlib import Path

import psycopg
import pyspark
import pytest

from pipelines import cli
from postgres_server import PostgresServer

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples" / "pipeline"
PAGE = (ROOT / "docs" / "pipelines.md").read_text(encoding="utf-8")
LINE = tuple(map(int, pyspark.__version__.split(".")[:2]))
HAS_SQL = LINE >= (4, 2)  # a pipeline of Spark 4.1 cannot analyze WATERMARK

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(LINE < (4, 1), reason="Declarative Pipelines came with Spark 4.1"),
]


@pytest.fixture
def example(tmp_path):
    folder = tmp_path / "pipeline"
    shutil.copytree(EXAMPLE, folder)
    spec = folder / "spark-pipeline.yml"
    spec.write_text(spec.read_text().replace("file:///tmp/clicks-pipeline", f"file://{tmp_path}/storage"))
    if not HAS_SQL:
        (folder / "transformations" / "visits.sql").unlink()
    return folder


def minutes(folder, table="spending"):
    found = Counter((r["user"], f"{r['window']['start']:%H:%M}", r["spent"]) for r in cli.rows(folder, table))
    assert set(found.values()) <= {1}, found
    return set(found)


def late(folder):
    return [(row["user"], row["price"], f"{row['ts']:%H:%M:%S}") for row in cli.rows(folder, "late_clicks")]


def visits(folder):
    return {(row["user"], f"{row['start']:%H:%M:%S}", row["clicks"]) for row in cli.rows(folder, "visits")}


def shown(after):
    """The block of the page that follows a text."""
    return re.search(r"```\w+\n(.*?)```", PAGE[PAGE.index(after) :], re.DOTALL)[1]


def test_the_page_shows_the_example():
    names = (
        "spark-pipeline.yml",
        "transformations/spending.py",
        "transformations/visits.sql",
        "input/1.json",
    )
    for name in names:
        assert shown(f"`{name}`") == (EXAMPLE / name).read_text(encoding="utf-8")


def test_runs_go_on_with_the_windows_of_the_run_before(example):
    code, said = cli.run(example, "dry-run")
    assert code == 0, said
    assert "Run is COMPLETED" in said
    assert not any((example / "spark-warehouse").glob("*/*.parquet"))

    code, said = cli.run(example, "run")
    assert code == 0, said
    printed = {line.partition(": ")[2] for line in said.splitlines()}
    expected = {line for line in shown("among others:").splitlines() if HAS_SQL or "visits" not in line}
    assert expected <= printed
    order = [said.index(f"default.{name} has COMPLETED") for name in ("clicks", "outputs", "spending")]
    assert order == sorted(order)  # each dataset waits for the one that it reads
    assert minutes(example) == {("ann", "12:00", 7), ("bob", "12:00", 5)}
    assert late(example) == []
    if HAS_SQL:
        assert visits(example) == {("ann", "12:00:10", 2), ("bob", "12:00:40", 1)}

    # The second run: 12:01 of ann has a click of each run; 12:00 was complete, so its click is late
    (example / "input" / "2.json").write_text(shown("`input/2.json`"))
    code, said = cli.run(example, "run")
    assert code == 0, said
    assert minutes(example) == {("ann", "12:00", 7), ("bob", "12:00", 5), ("ann", "12:01", 13)}
    assert late(example) == [("ann", 1, "12:00:50")]
    if HAS_SQL:
        assert visits(example) == {("ann", "12:00:10", 2), ("bob", "12:00:40", 1), ("ann", "12:01:30", 2)}

    # All input anew, in one micro-batch: nothing is late, and nothing is there twice
    code, said = cli.run(example, "run", "--full-refresh-all")
    assert code == 0, said
    assert minutes(example) == {("ann", "12:00", 8), ("bob", "12:00", 5), ("ann", "12:01", 13)}
    assert late(example) == []


FAILING = """
import os
from pyspark import pipelines as dp
from pyspark.sql import SparkSession, functions as F
import spark_windowing as sw

spark = SparkSession.active()
broken = int(os.environ["BROKEN"])

@dp.table
def clicks():
    rows = spark.readStream.schema("user string, price int, ts timestamp").option("maxFilesPerTrigger", 1)
    return rows.json("file://INPUT")

def spent(of):
    rows = spark.readStream.option("maxFilesPerTrigger", 1).table("clicks").where(f"user = '{of}'")
    price = F.when(F.col("price") == broken, F.raise_error(F.lit("broken price"))).otherwise(F.col("price"))
    rows = rows.withColumn("price", price.cast("int")).withWatermark("ts", "0 seconds")
    windows = sw.key_by(rows, "user").window(sw.TumblingEventTimeWindows.of("1 minute"))
    return windows.aggregate(F.sum("price").alias("spent"))

@dp.table
def of_ann():
    return spent("ann")

@dp.table
def of_bob():
    return spent("bob")
"""


@pytest.mark.long
def test_a_run_after_a_failure_goes_on_where_it_was(tmp_path):
    folder = cli.project(tmp_path, {"flows.py": FAILING.replace("INPUT", f"{tmp_path}/input")})
    every = [("ann", 1, "12:00:10"), ("bob", 2, "12:00:20"), ("ann", 3, "12:01:30"), ("bob", 4, "12:01:40")]
    every += [("ann", 5, "12:01:50"), ("bob", 6, "12:02:10"), ("ann", 7, "12:03:10"), ("bob", 8, "12:03:20")]
    for number in range(4):
        cli.clicks(folder, f"{number}.json", *every[2 * number : 2 * number + 2])

    of_bob = {("bob", "12:00", 2), ("bob", "12:01", 4), ("bob", "12:02", 6)}

    code, said = cli.run(folder, "run", BROKEN="5")
    assert code != 0
    assert "broken price" in said
    # Spark 4.1 ignores maxFilesPerTrigger here: one micro-batch, which fails
    assert minutes(folder, "of_ann") == ({("ann", "12:00", 1)} if LINE >= (4, 2) else set())
    assert minutes(folder, "of_bob") == of_bob  # a flow beside the broken one ends its run

    code, said = cli.run(folder, "run", BROKEN="0")
    assert code == 0, said
    assert minutes(folder, "of_ann") == {("ann", "12:00", 1), ("ann", "12:01", 8)}
    assert minutes(folder, "of_bob") == of_bob


REFUSED = """
from pyspark import pipelines as dp
from pyspark.sql import SparkSession, functions as F
import json
import spark_windowing as sw

spark = SparkSession.active()

@dp.table
def clicks():
    rows = spark.readStream.schema("user string, price int, ts timestamp").json("file://INPUT")
    return rows.withWatermark("ts", "0 seconds")

def keyed():
    return sw.key_by(spark.readStream.table("clicks").withWatermark("ts", "0 seconds"), "user")

def minutes():
    return keyed().window(sw.TumblingEventTimeWindows.of("1 minute"))

@dp.table
def by_the_clock():
    return keyed().window(sw.TumblingProcessingTimeWindows.of("1 minute")).aggregate(F.count("*").alias("n"))

@dp.table
def at_each_run():
    windows = keyed().window(sw.TumblingProcessingTimeWindows.of("1 minute"))
    return windows.trigger(sw.MicroBatchTrigger.create()).aggregate(F.count("*").alias("n"))

@dp.table
def without_watermark():
    windows = sw.key_by(spark.readStream.table("clicks"), "user", time="ts").time_window("1 minute")
    return windows.aggregate(F.count("*").alias("n"))

@dp.table
def late_alone():
    windows = minutes().side_output_late_data("late").aggregate(F.count("*").alias("n"))
    return sw.side_output(windows, "late")

@dp.table
def of_no_column():
    return minutes().aggregate(F.sum("prize").alias("n"))

def python_function():
    return minutes().process(lambda key, context, elements: elements, "n long")

def text_schema():
    return keyed().process(sw.jvm("com.acme.MyProcess"), "n long")

def explained():
    sw.explain(minutes().aggregate(F.count("*").alias("n")))

for refused in (python_function, text_schema, explained):
    try:
        dp.table(refused)
        print("accepted", refused.__name__)
    except sw.SparkWindowingError as error:
        print("refused", refused.__name__, json.dumps([error.problem, error.remedy]))
"""


def errors(said):
    """The errors of flows that the pipeline could not analyze, by name."""
    found = re.findall(r"Failed to resolve flow: 'spark_catalog\.default\.(\w+)'\.\nError: (.*)", said)
    return dict(found)


def test_what_cannot_work_in_a_pipeline_is_refused_by_name(tmp_path):
    folder = cli.project(tmp_path, {"flows.py": REFUSED.replace("INPUT", f"{tmp_path}/input")})
    cli.clicks(folder, "1.json", ("ann", 1, "12:00:10"))

    code, said = cli.run(folder, "dry-run")
    assert code != 0
    problem = "cannot be used in the definition of a pipeline"
    refused = {
        line.split(" ", 2)[1]: json.loads(line.split(" ", 2)[2])
        for line in said.splitlines()
        if line.startswith("refused ")
    }
    assert set(refused) == {"python_function", "text_schema", "explained"}
    assert all(problem in said for said, _ in refused.values())
    assert ".aggregate(" in refused["python_function"][1]
    assert "StructType()" in refused["text_schema"][1]
    assert errors(said) == {
        "by_the_clock": "ProcessingTimeTrigger of TumblingProcessingTimeWindows(1 min) fires by processing time alone, and a "
        "run of a pipeline ends when its input is read: no micro-batch comes in which it could fire. Take windows of event "
        "time, e.g. sw.TumblingEventTimeWindows.of(..), or results with each run: "
        ".trigger(sw.MicroBatchTrigger.create())",
        # What a table keeps of the watermark of the stream that wrote it is none of its own
        "without_watermark": "TumblingEventTimeWindows(1 min) needs a watermark on the stream's event time: "
        'df.withWatermark("ts", "10 seconds") before key_by',
        "of_no_column": "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name `prize` "
        "cannot be resolved. Did you mean one of the following? [`price`, `ts`, `user`]. SQLSTATE: 42703;",
    }

    code, said = cli.run(folder, "dry-run", windows=False)
    assert code != 0
    assert "The server of this pipeline was started without windows." in said
    assert "spark-pipelines run $(python -m spark_windowing pipeline-options)" in said


AUTO_CDC = """
from pyspark import pipelines as dp
from pyspark.sql import SparkSession, functions as F
import spark_windowing as sw

spark = SparkSession.active()

@dp.temporary_view
def session_changes():
    rows = spark.readStream.schema("user string, price int, ts timestamp").option("maxFilesPerTrigger", 1)
    windows = (
        sw.key_by(rows.json("file://INPUT").withWatermark("ts", "1 minute"), "user")
        .window(sw.EventTimeSessionWindows.with_gap("10 seconds"))
        .trigger(sw.MicroBatchTrigger.create())
    )
    changes = windows.changelog().aggregate(F.sum("price").alias("spent"))
    bounds = {f"window_{bound}": F.col("window")[bound] for bound in ("start", "end")}
    return changes.withColumns(bounds).drop("window")

dp.create_streaming_table("mem.shop.sessions")
dp.create_auto_cdc_flow(
    target="mem.shop.sessions",
    source="session_changes",
    keys=["user", "window_start", "window_end"],
    sequence_by="sequence",
    apply_as_deletes="op = '-D'",
    except_column_list=["op", "sequence"],
)

@dp.table
def changes():
    return spark.readStream.table("session_changes")

@dp.materialized_view
def sessions():
    return spark.read.table("mem.shop.sessions")
"""
TABLES = "org.apache.spark.sql.connector.catalog.SharedTablesInMemoryRowLevelOperationTableCatalog"


@pytest.mark.skipif(
    LINE != (4, 2), reason="Auto CDC flows came with Spark 4.2, whose own tests have the table"
)
def test_an_auto_cdc_flow_applies_a_change_stream(tmp_path):
    """Delta Lake 4.4 has no rows that such a flow can change, so the table is one of Spark's own tests."""
    folder = cli.project(tmp_path, {"flows.py": AUTO_CDC.replace("INPUT", f"{tmp_path}/input")})
    for number, click in enumerate(
        [("ann", 1, "12:00:00"), ("ann", 2, "12:00:15"), ("bob", 3, "12:00:05"), ("ann", 4, "12:00:08")]
    ):
        cli.clicks(folder, f"{number}.json", click)
    jar = (ROOT / "target" / "services" / "spark-tables.jars").read_text().strip()
    code, said = cli.run(folder, "run", "--conf", f"spark.sql.catalog.mem={TABLES}", jars=[jar])
    assert code == 0, said

    def seen(table, *columns):
        rows = cli.rows(folder, table) if table == "changes" else cli.view(folder, table)
        return sorted((r["user"], f"{r['window_start']:%S}", *(r[name] for name in columns)) for r in rows)

    ops = ["-D", "-D", "+I", "+I", "+I", "+I"]
    assert sorted(row["op"] for row in cli.rows(folder, "changes")) == sorted(ops)
    assert seen("sessions", "spent") == [("ann", "00", 7), ("bob", "05", 3)]


SINK = """
from pyspark import pipelines as dp
from pyspark.sql import SparkSession, functions as F
import spark_windowing as sw

spark = SparkSession.active()

dp.create_sink("sessions", "windows-upsert", {"store": "postgres", "table": "sessions", "url": "URL", "user": "postgres"})

@dp.append_flow(target="sessions")
def session_rows():
    rows = spark.readStream.schema("user string, price int, ts timestamp").option("maxFilesPerTrigger", 1)
    windows = (
        sw.key_by(rows.json("file://INPUT").withWatermark("ts", "1 minute"), "user")
        .window(sw.EventTimeSessionWindows.with_gap("10 seconds"))
        .trigger(sw.MicroBatchTrigger.create())
    )
    return windows.with_pane().aggregate(F.sum("price").alias("spent"))
"""


@pytest.mark.long
def test_a_sink_keeps_one_row_a_window_over_the_runs(tmp_path):
    with tempfile.TemporaryDirectory() as data, PostgresServer(Path(data)) as server:
        url = f"jdbc:postgresql://127.0.0.1:{server.port}/postgres"
        files = {"flows.py": SINK.replace("INPUT", f"{tmp_path}/input").replace("URL", url)}
        folder = cli.project(tmp_path, files)
        jar = (ROOT / "target" / "services" / "postgres.jars").read_text().strip()

        def run():
            code, said = cli.run(folder, "run", jars=[jar])
            assert code == 0, said
            with psycopg.connect(server.connection()) as database:
                found = database.execute(
                    'SELECT "user", extract(second FROM window_start)::int, spent FROM sessions'
                )
                return sorted(found.fetchall())

        cli.clicks(folder, "0.json", ("ann", 1, "12:00:00"))
        cli.clicks(folder, "1.json", ("ann", 2, "12:00:15"), ("bob", 3, "12:00:05"))
        assert run() == [("ann", 0, 1), ("ann", 15, 2), ("bob", 5, 3)]
        cli.clicks(folder, "2.json", ("ann", 4, "12:00:08"))
        assert run() == [("ann", 0, 7), ("bob", 5, 3)]
