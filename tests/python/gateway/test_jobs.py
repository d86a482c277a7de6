"""One job, and the ways in which the jar can come into its session, on this machine and on clusters."""

import json
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import fast_start
import pyspark
import pytest

from cluster import Cluster

pytestmark = [
    pytest.mark.spark,
    pytest.mark.classic("starts processes with classic sessions of their own"),
]

JOB = str(Path(__file__).parents[1] / "jobs" / "first_window.py")
SPARK = Path(pyspark.__file__).parent
SUBMIT = str(SPARK / "bin" / "spark-submit")
FAST = {"spark.driver.extraJavaOptions": fast_start.OPTIONS}


def call(*command):
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def python(way, folder, **settings):
    call(sys.executable, JOB, way, folder, *(f"{name}={value}" for name, value in settings.items()))


def spark_submit(way, folder, **settings):
    jar = call(sys.executable, "-m", "spark_windowing", "jar-path").strip()
    options = [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
    call(SUBMIT, *options, "--jars", jar, JOB, way, folder)


def check(folder, *, package):
    """What every job must find; `package`: whether the processes of its Python function could import spark_windowing."""
    assert json.loads((folder / "rows.json").read_text()) == {
        "static": [["a", 1, 16, 3, 16], ["b", 100, 110, 1, 1]],
        "streaming": {"main": [["a", 1, 14, 2, 7]], "late": [9]},
        "function": {"main": [["a", 9], ["b", 1]], "cheap": [1, 3], "package": package},
    }


def test_a_session_with_the_jar_among_its_jars(tmp_path):
    python("spark.jars", str(tmp_path), **FAST)
    check(tmp_path, package=True)


@pytest.fixture
def workers(tmp_path):
    """Settings under which the Python processes of executors do not find the package: a function comes by value."""
    (tmp_path / "none" / "spark_windowing").mkdir(parents=True)
    (tmp_path / "none" / "spark_windowing" / "__init__.py").write_text(
        "raise ImportError('a worker has no package')"
    )
    return {
        **FAST,
        "spark.driver.host": "127.0.0.1",
        "spark.executorEnv.PYTHONPATH": str(tmp_path / "none"),
        "spark.executor.extraJavaOptions": fast_start.OPTIONS,
    }


@pytest.mark.long
def test_executors_of_their_own_get_the_jar_and_the_function(tmp_path, workers):
    try:
        python("ADD JAR", str(tmp_path), **{"spark.master": "local-cluster[2,1,1024]", **workers})
        check(tmp_path, package=False)
    finally:
        shutil.rmtree(SPARK / "work" / (tmp_path / "application").read_text())
        with suppress(OSError):  # another one is in it
            (SPARK / "work").rmdir()


def test_a_cluster_gets_the_jar_and_the_function(tmp_path, workers):
    with Cluster(tmp_path / "cluster") as cluster:
        spark_submit("submit", str(tmp_path), **{**cluster.settings(), **workers})
    check(tmp_path, package=False)
