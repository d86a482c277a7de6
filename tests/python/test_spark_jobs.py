"""One job, and the three ways in which the jar can come into its session."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

pytestmark = pytest.mark.spark

JOB = str(Path(__file__).parent / "jobs" / "first_window.py")
SUBMIT = str(Path(pyspark.__file__).parent / "bin" / "spark-submit")


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


def python(way, folder):
    call(sys.executable, JOB, way, folder)


def spark_submit(way, folder):
    jar = call(sys.executable, "-m", "spark_windowing", "jar-path").strip()
    call(SUBMIT, "--master", "local[2]", "--jars", jar, JOB, way, folder)


@pytest.mark.parametrize(
    ("way", "start"), [("attach", python), ("configure", python), ("submit", spark_submit)]
)
def test_a_job_gives_the_same_rows(tmp_path, way, start):
    start(way, str(tmp_path))
    assert json.loads((tmp_path / "rows.json").read_text()) == {
        "static": [["a", 1, 16, 3, 16], ["b", 100, 110, 1, 1]],
        "streaming": {"main": [["a", 1, 14, 2, 7]], "late": [9]},
    }
