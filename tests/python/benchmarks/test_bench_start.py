"""The program of `make bench-start`, small: a query starts on its checkpoint, and reads no key, or all of them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.spark,
    pytest.mark.long,
    pytest.mark.classic("the benchmark starts a classic session of its own"),
]

START = Path(__file__).parents[3] / "benchmarks" / "start.py"


def test_a_query_starts_in_three_ways(tmp_path):
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
    assert [(one["work"], one["keys"], one["way"]) for one in measured] == [
        ("chunks", 20, "none"),
        ("chunks", 20, "the first"),
        ("chunks", 20, "all"),
    ]
    starts = [start for one in measured for start in one["starts"]]
    assert [start["reads"] > 0 for start in starts] == [False, True, True]
    assert [start["index"] > 0 for start in starts] == [False, True, False]
    assert all(start["first"] > 0 and start["later"] > 0 for start in starts)
    assert len([line for line in done.stdout.splitlines() if line.startswith("| changelog-snapshot |")]) == 3
