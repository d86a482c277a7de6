"""The soak on few events: nothing is lost, the state levels off, and nothing of closed windows is left."""

import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

pytestmark = [
    pytest.mark.spark,
    pytest.mark.long,
    pytest.mark.classic("the soak starts a classic session of its own"),
    pytest.mark.skipif(
        pyspark.__version__.startswith("3.5."), reason="Spark 3.5 has no data source of its state stores"
    ),
]

SOAK = Path(__file__).parents[3] / "benchmarks" / "soak.py"


def soak(*arguments):
    few = ("--events", "50000", "--keys", "2000", "--rows", "5000")
    return subprocess.run(
        [sys.executable, SOAK, *few, *arguments], capture_output=True, text=True, check=False
    )


def test_events_come_out_or_are_counted_as_late_and_closed_windows_leave_nothing():
    done = soak()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 closed keys left in the state store" in done.stdout
    assert done.stdout.endswith("nothing lost, nothing left, memory and state level\n")
