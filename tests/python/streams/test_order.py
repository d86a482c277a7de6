"""Windows that show the order of their rows show the order of arrival, wherever and however often a batch runs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from jobs import last_four

pytestmark = [pytest.mark.spark, pytest.mark.classic("starts programs with sessions of their own")]


def model():
    """For each key, the last four values after every third."""
    seen, fired = {}, {}
    for key, value in (row for batch in last_four.batches() for row in batch):
        values = seen.setdefault(key, [])
        values.append(value)
        if len(values) % 3 == 0:
            fired.setdefault(key, []).append(values[-4:])
    return fired


@pytest.mark.long
def test_the_order_of_arrival_is_kept_by_two_executors_that_spill(tmp_path):
    job = Path(last_four.__file__)
    spill = "spark.shuffle.spill.numElementsForceSpillThreshold=500"
    command = [sys.executable, str(job), str(tmp_path), "local-cluster[2,1,1024]", spill]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said = {line.split(" ", 1)[0]: json.loads(line.split(" ", 1)[1]) for line in done.stdout.splitlines()}
    assert said["fired"] == model()
    assert said["again"] == [[2], True], "the batch that runs a second time gives its rows again"
    assert said["spilled"] > 0
