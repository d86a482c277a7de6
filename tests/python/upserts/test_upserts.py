"""Results in tables: in processes of their own, whose sessions have the tables from their start."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from postgres_server import PostgresServer
from upsert_kills import course
from upsert_session import LINE, STORES

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "tests" / "upserts"

pytestmark = [
    pytest.mark.spark,
    pytest.mark.classic("jobs of their own; by Spark Connect: connect/test_tables.py"),
]

DELTA_SETTINGS = (
    '.config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")'
    '.config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")'
)
ICEBERG_SETTINGS = (
    '.config("spark.sql.extensions", "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions")'
    '.config("spark.sql.catalog.lake", "org.apache.iceberg.spark.SparkCatalog")'
    '.config("spark.sql.catalog.lake.type", "hadoop").config("spark.sql.catalog.lake.warehouse", "/data/lake")'
)


def version(name):
    return re.search(rf"^{re.escape(name)}=(.*)$", (ROOT / "versions.properties").read_text(), re.MULTILINE)[
        1
    ]


def package(store):
    """What the remedy names for this Spark, and whether another Spark is needed."""
    if store == "delta":
        line = min(LINE, "4.2")
        scala = "delta-spark_2.12" if line == "3.5" else f"delta-spark_{line}_2.13"
        return line, f"io.delta:{scala}:{version('delta-3.5' if line == '3.5' else 'delta')}", DELTA_SETTINGS
    line = min(LINE, "4.1")
    scala = "2.12" if line == "3.5" else "2.13"
    return (
        line,
        f"org.apache.iceberg:iceberg-spark-runtime-{line}_{scala}:{version(f'iceberg-{line}')}",
        ICEBERG_SETTINGS,
    )


@pytest.mark.parametrize(
    ("store", "name", "table"),
    [("delta", "Delta Lake", "clicks_in_delta"), ("iceberg", "Iceberg", "lake.clicks")],
)
def test_a_session_without_the_jars_is_told_what_to_type(clicks, store, name, table):
    windows = sw.key_by(clicks, "user", time="ts").time_window("1 minute").with_pane()
    with pytest.raises(sw.SparkWindowingError) as error:
        getattr(sw, f"upsert_to_{store}")(windows.aggregate(F.count("*").alias("n")), table)
    assert error.value.problem == f"The session has no {name}: its jars are not there."
    line, jar, settings = package(store)
    other = "" if line == LINE else f'pip install "pyspark=={line}.*"; '
    assert error.value.remedy == (
        f"{other}on Spark {line}, before the session starts: SparkSession.builder"
        f'.config("spark.jars.packages", "{jar}"){settings}'
    )


def test_a_session_without_the_driver_of_postgresql_is_told_what_to_type(clicks):
    windows = sw.key_by(clicks, "user", time="ts").time_window("1 minute").with_pane()
    with pytest.raises(sw.SparkWindowingError, match="has no JDBC driver of PostgreSQL") as error:
        sw.upsert_to_postgres(
            windows.aggregate(F.count("*").alias("n")), "clicks", url="jdbc:postgresql://localhost/shop"
        )
    jar = f"org.postgresql:postgresql:{version('postgres')}"
    assert error.value.remedy == (
        f'before the session starts: SparkSession.builder.config("spark.jars.packages", "{jar}")'
    )


# Upserts a static result to a table whose jars are there: of Delta or Iceberg, of this Spark or another one.
PROGRAM = """
import sys
import spark_windowing as sw
from pathlib import Path
from pyspark.sql import SparkSession, functions as F
store, jars, table, *settings = sys.argv[1:]
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
builder = builder.config("spark.jars", ",".join(Path(jars).read_text().split()))
for setting in settings:
    builder = builder.config(*setting.split("=", 1))
spark = builder.getOrCreate()
clicks = spark.range(3).withColumn("ts", F.timestamp_seconds("id"))
result = sw.key_by(clicks, "id", time="ts").time_window("1 minute").with_pane().aggregate(F.count("*").alias("n"))
try:
    getattr(sw, f"upsert_to_{store}")(result, table)(result, 0)
    print("works")
except sw.SparkWindowingError as error:
    print(error.problem, error.remedy, sep="\\n")
spark.stop()
"""


def refused(python, tmp_path, store, jars, table, *settings):
    return python(
        PROGRAM,
        store,
        str(jars),
        table,
        f"spark.sql.warehouse.dir={tmp_path}",
        "spark.driver.host=127.0.0.1",
        *settings,
    )


@pytest.mark.skipif("delta" not in STORES, reason=f"Delta Lake has no release for Spark {LINE}")
def test_jars_of_delta_without_its_settings_are_refused(python, tmp_path):
    suffix = "" if LINE == "4.2" else f"-{LINE.replace('.', '-')}"
    jars = ROOT / "target" / "services" / f"delta{suffix}.jars"
    problem, remedy = refused(python, tmp_path, "delta", jars, "clicks")
    settings = "spark.sql.extensions and spark.sql.catalog.spark_catalog"
    assert problem == f"The session has the jars of Delta Lake, but not its {settings}."
    assert remedy.startswith(f"on Spark {LINE}, before the session starts: SparkSession.builder.config(")


@pytest.mark.skipif(LINE < "4.1", reason="with jars for a later Spark a session of this one does not start")
def test_jars_for_another_spark_are_refused(python, tmp_path):
    services = ROOT / "target" / "services"
    if LINE != "4.1":
        problem, remedy = refused(
            python,
            tmp_path,
            "iceberg",
            services / "iceberg-4-1.jars",
            "lake.clicks",
            "spark.sql.catalog.lake=org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.lake.type=hadoop",
            f"spark.sql.catalog.lake.warehouse={tmp_path / 'lake'}",
        )
        assert (
            problem == f"The Iceberg of the session was built for another Spark than {pyspark.__version__}."
        )
        assert remedy.startswith('pip install "pyspark==4.1.*"; on Spark 4.1, before the session starts: ')
    if LINE != "4.2":
        problem, remedy = refused(
            python,
            tmp_path,
            "delta",
            services / "delta.jars",
            "clicks",
            "spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension",
            "spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog",
        )
        assert (
            problem
            == f"The Delta Lake of the session was built for another Spark than {pyspark.__version__}."
        )


@pytest.mark.skipif("iceberg" not in STORES, reason=f"Iceberg has no release for Spark {LINE}")
def test_a_table_in_a_catalog_of_sparks_own_is_refused(python, tmp_path):
    jars = ROOT / "target" / "services" / f"iceberg-{LINE.replace('.', '-')}.jars"
    problem, remedy = refused(python, tmp_path, "iceberg", jars, "clicks")
    assert problem == "The table clicks is in a catalog of Spark's own, which has no Iceberg tables."
    assert ICEBERG_SETTINGS in remedy
    assert not (tmp_path / "clicks").exists()


# The main courses: on the Spark that is developed with all there is; on 4.0 with Iceberg, which that one lacks; on 3.5 by
# the sink. `make test-long`, `make test-upserts ON=4.1.4` and `make chaos-upserts` run all.
IS_MAIN = version("spark") == pyspark.__version__
OWN = [] if LINE == "3.5" else [store for store in STORES if IS_MAIN or store == "iceberg"]
COURSES = "again or late_firings or merges or table_of_windows or page_runs or end_on"
COURSES = COURSES if IS_MAIN else "sink and again" if LINE == "3.5" else "iceberg and (sink or page_runs)"


@pytest.mark.parametrize("courses", [COURSES, pytest.param("", marks=pytest.mark.long)], ids=["main", "all"])
def test_one_row_a_key_and_window_in_a_table_of_each_store(courses):
    files = ["test_stores.py", *(f"test_{store}.py" for store in OWN)]
    files += ["test_postgres_tables.py", "test_history.py", "test_feed.py"] if IS_MAIN else []
    command = [sys.executable, "-m", "pytest", "-q", "-c", ROOT / "python" / "pyproject.toml", "-k", courses]
    done = subprocess.run(
        [*command, *(FOLDER / name for name in files)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.long
@pytest.mark.parametrize(
    ("store", "way", "point"),
    [(store, *(("function", "within"), ("sink", "behind"))[number % 2]) for number, store in enumerate(OWN)],
)
def test_a_job_that_is_killed_within_a_write_or_behind_one_gives_the_table_of_the_model(
    tmp_path, store, way, point
):
    points = [point]
    if store == "postgres":
        with tempfile.TemporaryDirectory() as data, PostgresServer(Path(data)) as server:
            met = course(tmp_path, store, way, points, server=server)
    else:
        met = course(tmp_path, store, way, points)
    assert met == points
