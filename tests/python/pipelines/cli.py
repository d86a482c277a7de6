"""Runs `spark-pipelines` on a project in a folder, and reads what its tables hold."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlparse

import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Sequence

SECONDS = 300
PERSISTENT = ("--conf", "spark.sql.catalogImplementation=hive")  # tables are known to the next run


def run(
    folder: Path, *arguments: str, windows: bool = True, jars: Sequence[str] = (), **environment: str
) -> tuple[int, str]:
    """Run the command in a folder, with further jars; return its exit code and all that it printed."""
    scripts = Path(sys.prefix) / "bin"
    inherited = {name: value for name, value in os.environ.items() if name != "SPARK_HOME"}
    python = dict.fromkeys(("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON"), sys.executable)
    own_port = {"SPARK_TESTING": "a free port"}  # in place of 15002, which one server of a machine can have
    options = pipeline_options() if windows else []
    if jars:
        path = options.index("--driver-class-path") + 1
        options[path] = ":".join([options[path], *jars])
    done = subprocess.run(
        [scripts / "spark-pipelines", *arguments, *([] if jars else PERSISTENT), *options],
        cwd=folder,
        env={**inherited, **python, **own_port, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return done.returncode, done.stdout


def pipeline_options() -> list[str]:
    """Return what `python -m spark_windowing pipeline-options` prints, as a shell splits it."""
    command = [sys.executable, "-m", "spark_windowing", "pipeline-options"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def project(folder: Path, files: dict[str, str]) -> Path:
    """Write the spec of a pipeline and its files into a folder."""
    (folder / "spark-pipeline.yml").write_text(
        f"name: test\nstorage: file://{folder}/storage\n"
        'configuration:\n  spark.sql.shuffle.partitions: "2"\n'
        "libraries:\n  - glob:\n      include: transformations/**\n"
    )
    (folder / "transformations").mkdir()
    for name, text in files.items():
        (folder / "transformations" / name).write_text(text)
    return folder


def clicks(folder: Path, name: str, *rows: tuple[str, int, str]) -> None:
    """Write a file of clicks: user, price, and time of day."""
    (folder / "input").mkdir(exist_ok=True)
    lines = [{"user": u, "price": p, "ts": f"2026-01-01T{ts}Z"} for u, p, ts in rows]
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    (folder / "input" / name).write_text(text)
    second = len(list((folder / "input").iterdir()))  # Spark takes files in the order of their times
    os.utime(folder / "input" / name, (second, second))


def rows(folder: Path, table: str) -> list[dict[str, Any]]:
    """Return the rows that streams have committed to a table of Parquet files."""
    of = folder / "spark-warehouse" / table
    entries = {
        json.loads(line)["path"]
        for log in (of / "_spark_metadata").glob("[0-9]*")
        for line in log.read_text().splitlines()[1:]
    }
    return [
        row for path in sorted(entries) for row in pq.read_table(unquote(urlparse(path).path)).to_pylist()
    ]


def view(folder: Path, table: str) -> list[dict[str, Any]]:
    """Return the rows of a materialized view."""
    files = sorted((folder / "spark-warehouse" / table).glob("*.parquet"))
    return [row for path in files for row in pq.read_table(path).to_pylist()]
