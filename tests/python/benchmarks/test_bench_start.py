"""The program of `make bench-start`, small: a query starts on its checkpoint with an index of timers and without."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.spark,
    pytest.mark.classic("the benchmark starts a classic session of its own"),
]

START = Path(__file__).parents[3] / "benchmarks" / "start.py"


def test_a_query_starts_with_an_index_and_without(tmp_path):
    figures = tmp_path / "figures.json"
    few = ("--works", "chunks", "--kept-keys", "20", "--kept", "40", "--batches", "2", "--memory", "1g")
    done = subprocess.run(
        [sys.executable, START, *few, "--stores", "changelog-snapshot", "--json", figures],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    measured = json.loads(figures.read_text())
    assert [(one["work"], one["keys"], one["indexed"]) for one in measured] == [
        ("chunks", 20, True),
        ("chunks", 20, False),
    ]
    starts = [start for one in measured for start in one["starts"]]
    assert [start["index"] > 0 for start in starts] == [one["indexed"] for one in measured]
    assert all(start["first"] > 0 and start["later"] > 0 for start in starts)
    assert len([line for line in done.stdout.splitlines() if line.startswith("| changelog-snapshot |")]) == 2
