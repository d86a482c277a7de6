"""The short version of `make chaos`, and that its comparison sees what is wrong."""

import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

import batch_files
import input_files
from differences import differences
from expected import expected

CHAOS = Path(__file__).parents[2] / "chaos" / "chaos.py"
FILES = input_files.events(seed=3, files=12)


@pytest.mark.spark
@pytest.mark.long
@pytest.mark.classic("kills drivers with classic sessions")
def test_a_killed_driver_changes_no_result(tmp_path):
    short = ["--kills", "1", "--executor-kills", "0", "--files", "6", "--seed", "5"]
    command = [sys.executable, str(CHAOS), *short, "--folder", str(tmp_path / "chaos")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 kills of drivers, 0 of executors, 0 differences" in done.stdout
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in done.stdout.splitlines()]
    figures = [dict(zip(rows[1], row, strict=True)) for row in rows[3:-1]]
    assert [line["state"] for line in figures] == ["HDFS", "RocksDB, changelog"]
    assert sum(int(line["kills"]) for line in figures) == 1
    for line in figures:
        assert line["restarts"] == line["kills"]
        assert int(line["pieces at the end"]) > 0
        assert line["differences"] == "0"
        assert all(int(n) > 0 for n in re.findall(r"\d+", line["session main + late"]))


def test_equal_rows_in_another_order_are_no_difference():
    wanted = expected(FILES)
    assert all(wanted.values())
    assert differences(wanted, {output: rows[::-1] for output, rows in wanted.items()}) == []


@pytest.mark.parametrize("output", list(expected(FILES)), ids="-".join)
def test_a_lost_a_doubled_and_a_wrong_row_are_found(output):
    wanted = expected(FILES)
    _, second, *others = wanted[output]
    wrong = {**second, list(second)[-1]: -1}
    found = {**wanted, output: [*others, others[0], wrong]}
    assert sorted(line.split(":")[0] for line in differences(wanted, found)) == [
        "doubled",
        "lost",
        "lost",
        "not expected",
    ]
    assert f"lost: {' '.join(output)} " in differences(wanted, {**wanted, output: wanted[output][1:]})[0]


def test_an_output_that_is_not_there_is_lost():
    wanted = expected(FILES)
    del (found := dict(wanted))["session", "late"]
    assert len(differences(wanted, found)) == len(wanted["session", "late"])


def test_every_row_is_in_a_window_or_late():
    wanted = expected(FILES)
    rows = sum(map(len, FILES)) - input_files.CLOSING
    for query in ("tumbling", "session"):
        assert sum(row["n"] for row in wanted[query, "main"]) + len(wanted[query, "late"]) == rows


def test_events_come_out_of_order_and_late_and_follow_from_the_seed():
    rows = [row for file in FILES for row in file]
    assert input_files.events(seed=3, files=12) == FILES
    assert input_files.events(seed=4, files=12) != FILES
    assert sum(a.ms > b.ms for a, b in pairwise(rows)) > len(rows) / 4
    assert sum(row.late for row in rows) > 10


def test_a_second_attempt_at_a_micro_batch_replaces_the_first(tmp_path):
    batch_files.write(tmp_path, "count", "main", 7, ['{"n": 1}', '{"n": 2}'])
    batch_files.write(tmp_path, "count", "main", 8, ['{"n": 3}'])
    assert batch_files.again(tmp_path) == []
    batch_files.write(tmp_path, "count", "main", 7, ['{"n": 2}', '{"n": 1}'])
    assert batch_files.again(tmp_path) == ["count main 7 same"]
    batch_files.write(tmp_path, "count", "main", 7, ['{"n": 4}'])
    assert batch_files.again(tmp_path)[1:] == ["count main 7 other"]
    assert batch_files.read(tmp_path) == {("count", "main"): [{"n": 4}, {"n": 3}]}
    assert batch_files.newest(tmp_path, "count") == 8
