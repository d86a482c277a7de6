"""Results in Delta tables: in processes of their own, whose sessions have Delta Lake from their start."""

import json
import os
import random
import re
import subprocess
import sys
import time
from functools import partial
from itertools import pairwise
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from processes import kill_group, wait_for_end

pytestmark = [pytest.mark.spark, pytest.mark.classic("upsert_to_delta is refused by Spark Connect")]

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "tests" / "delta"
REMEDY = (
    "on Spark {line}, before the session starts: SparkSession.builder"
    '.config("spark.jars.packages", "io.delta:delta-spark_{package}")'
    '.config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")'
    '.config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")'
)
PATIENCE = 300  # seconds in which something must happen
BATCHES = 5
GAP = 10  # seconds

# The jars of Delta Lake that the build fetches are made for this line of Spark; on others they do not load or fail.
HAS_DELTA = pyspark.__version__.startswith("4.2.")
on_its_spark = pytest.mark.skipif(
    not HAS_DELTA,
    reason=f"the Delta Lake of versions.properties is for Spark 4.2, this is {pyspark.__version__}",
)


# Upserts a static result. Without settings if the jars are right, else with them.
PROGRAM = """
import sys
sys.path.append(sys.argv[1])
from delta_session import CATALOG, EXTENSION, jars
import spark_windowing as sw
from pyspark.sql import SparkSession, functions as F
builder = SparkSession.builder.master("local[1]").config("spark.jars", jars("delta")).config("spark.ui.enabled", "false")
builder = builder.config("spark.sql.warehouse.dir", sys.argv[2])
if sys.argv[3] == "set":
    builder = builder.config("spark.sql.extensions", EXTENSION).config("spark.sql.catalog.spark_catalog", CATALOG)
spark = builder.getOrCreate()
clicks = spark.range(3).withColumn("ts", F.timestamp_seconds("id"))
windows = sw.key_by(clicks, "id", time="ts").time_window("1 minute").with_pane()
try:
    result = windows.aggregate(F.count("*").alias("n"))
    sw.upsert_to_delta(result, "clicks")(result, 0)
except sw.SparkWindowingError as error:
    print(error.problem, error.remedy, sep="\\n")
spark.stop()
"""


def test_a_session_without_delta_is_told_what_to_type(spark, clicks):
    windows = sw.key_by(clicks, "user", time="ts").time_window("1 minute").with_pane()
    with pytest.raises(sw.SparkWindowingError) as error:
        sw.upsert_to_delta(windows.aggregate(F.count("*").alias("n")), "clicks_in_delta")
    assert error.value.problem == "The session has no Delta Lake: its jars are not there."
    delta = re.search(r"^delta=(.*)$", (ROOT / "versions.properties").read_text(), re.MULTILINE)[1]
    line = min(pyspark.__version__[:3], "4.2")
    package = "2.12:3.3.2" if line == "3.5" else f"{line}_2.13:{delta}"
    assert error.value.remedy == REMEDY.format(line=line, package=package)


@pytest.mark.skipif(
    pyspark.__version__.startswith(("3.5.", "4.0.")),
    reason="with the Delta Lake for Spark 4.2 a session of Spark 4.0 cannot read, one of 3.5 not start",
)
def test_jars_without_settings_or_for_another_spark_are_refused(python, tmp_path):
    problem, remedy = python(PROGRAM, str(FOLDER), str(tmp_path), "unset" if HAS_DELTA else "set")
    settings = "spark.sql.extensions and spark.sql.catalog.spark_catalog"
    if HAS_DELTA:
        assert problem == f"The session has the jars of Delta Lake, but not its {settings}."
    else:
        version = pyspark.__version__
        assert problem == f"The Delta Lake of the session was built for another Spark than {version}."
    assert re.match(r"on Spark 4\.[12], before the session starts: SparkSession\.builder\.config\(", remedy)


@on_its_spark
def test_one_row_a_key_and_window_a_table_as_history_and_change_feeds():
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-c",
        ROOT / "python" / "pyproject.toml",
        FOLDER / "upserts.py",
        FOLDER / "history.py",
        FOLDER / "feed.py",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


class Job:
    """The job of killed.py, and what can be seen of it from outside."""

    def __init__(self, folder):
        self._folder = folder
        self._command = [sys.executable, FOLDER / "killed.py", folder]
        self._process = None

    def start(self):
        with (self._folder / "log").open("a") as log:
            environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
            self._process = subprocess.Popen(
                self._command, stdout=log, stderr=log, start_new_session=True, env=environment
            )

    def wait(self, until):
        """Wait until something is so, or the job has ended; whether it still runs."""
        end = time.monotonic() + PATIENCE
        while not until():
            if self._process.poll() is not None:
                return False
            assert time.monotonic() < end, self.log()
            time.sleep(0.002)
        return True

    def kill(self):
        kill_group(self._process.pid)
        self._process.wait()

    def finish(self):
        """Let it run to its end."""
        self.wait(lambda: False)
        assert self._process.returncode == 0, self.log()
        wait_for_end(self._process.pid)

    def written(self):
        """The micro-batches that are in the table, in the order of its versions."""
        actions = [json.loads(line) for path in self._versions() for line in path.read_text().splitlines()]
        return [action["txn"]["version"] for action in actions if "txn" in action]

    def unlisted(self):
        """Files of the table that no version has: a MERGE has begun."""
        listed = "".join(path.read_text() for path in self._versions())
        return {path.name for path in self._folder.glob("table/*.parquet") if path.name not in listed}

    def is_in_a_merge(self, before):
        """Whether files have come, beside those of earlier attempts, that are not in the table."""
        return bool(self.unlisted() - before)

    def is_behind_one(self):
        """Whether the table has a micro-batch that the query has not finished."""
        return len(self.written()) > sum(
            path.name.isdigit() for path in self._folder.glob("checkpoint/commits/*")
        )

    def log(self):
        return (self._folder / "log").read_text()[-4000:]

    def _versions(self):
        return sorted(self._folder.glob("table/_delta_log/*.json"))


def visits(seed):
    """User and second, a list for each micro-batch: in no order, so that sessions merge again and again."""
    chance = random.Random(seed)
    users = ["a", "b", None]
    return [[(chance.choice(users), chance.randrange(400)) for _ in range(20)] for _ in range(BATCHES)]


def model(rows):
    """The sessions of all visits: user, start, end, count."""
    sessions = []
    for user in {user for user, _ in rows}:
        times = sorted(second for who, second in rows if who == user)
        cuts = [0, *(i + 1 for i, (a, b) in enumerate(pairwise(times)) if b - a > GAP), len(times)]
        sessions += [(user, times[i], times[j - 1] + GAP, j - i) for i, j in pairwise(cuts)]
    return sorted(sessions, key=str)


@on_its_spark
def test_a_job_that_is_killed_within_a_merge_and_behind_one_gives_the_table_of_the_model(tmp_path):
    batches = visits(seed=11)
    (tmp_path / "in").mkdir()
    for number, batch in enumerate(batches):
        path = tmp_path / "in" / f"{number}.json"
        path.write_text("\n".join(json.dumps({"user": user, "second": second}) for user, second in batch))
        os.utime(path, (number, number))
    job = Job(tmp_path)
    within = behind = 0
    for in_a_merge in (True, False, True):
        files = job.unlisted()
        job.start()
        try:
            assert job.wait(partial(job.is_in_a_merge, files) if in_a_merge else job.is_behind_one), job.log()
        finally:
            job.kill()
        within += job.is_in_a_merge(files)
        behind += job.is_behind_one()
    assert within > 0
    assert behind > 0
    job.start()
    job.finish()
    assert job.written() == list(range(BATCHES))
    (found,) = (tmp_path / "found").glob("*.json")
    rows = [json.loads(line) for line in found.read_text().splitlines()]
    assert sorted((tuple(row.values()) for row in rows), key=str) == model(
        [visit for batch in batches for visit in batch]
    )
