"""The benchmarks on few events: they run, and all contestants give the same rows. Not how fast."""

import json
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

import bench as benchmark
from bench import check_equal

pytestmark = [
    pytest.mark.spark,
    pytest.mark.classic("the benchmarks start classic sessions of their own"),
    pytest.mark.skipif(
        pyspark.__version__.startswith("4.0."),
        reason="applyInPandasWithState of PySpark 4.0 fails with newer versions of PyArrow",
    ),
]

BENCH = Path(__file__).parents[3] / "benchmarks" / "bench.py"


def bench(*arguments):
    return subprocess.run(
        [sys.executable, BENCH, "--short", *arguments], capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """One run of a work, in which most contestants take part; without equal results it would have failed."""
    figures = tmp_path_factory.mktemp("bench") / "figures.json"
    done = bench("--works", "session_500k", "--json", figures)
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads(figures.read_text())


def test_every_contestant_has_a_rate(ran):
    _, figures = ran
    taking_part = {name: list(work["contestants"]) for name, work in figures["works"].items()}
    assert taking_part == {
        "session_500k": ["ours", "spark", "flink", "portable", "pandas"],
    }
    measured = [c for work in figures["works"].values() for c in work["contestants"].values()]
    assert all(rate > 0 for contestant in measured for rate in contestant["million_rows_a_second"])


def test_states_are_measured(ran):
    _, figures = ran
    sessions = figures["works"]["session_500k"]["contestants"]
    states = {name: contestant["state"] for name, contestant in sessions.items()}
    assert states["flink"] is None
    assert all(
        states[name]["rows"] > 0 and states[name]["memory"] > 0 for name in ("ours", "spark", "pandas")
    )


def test_both_tables_are_printed(ran):
    printed, _ = ran
    assert "| work | rows a micro-batch | contestant | million rows a second | ratio (range) |" in printed
    assert "| work | contestant | state rows |" in printed


def test_different_results_stop_the_run():
    digest = {"rows": 2, "a": 3.0, "b": 4.5, "hash": -7}
    check_equal("session", {"ours": digest, "flink": dict(digest)})
    for other in ({"rows": 3}, {"a": 3.5}, {"b": 4.0}, {"hash": 7}):
        with pytest.raises(SystemExit, match="session: the results differ"):
            check_equal("session", {"ours": digest, "flink": {**digest, **other}})


def test_no_results_stop_the_run():
    nothing = {"rows": 0, "a": 0.0, "b": 0.0, "hash": 0}
    with pytest.raises(SystemExit, match="session: no window has closed"):
        check_equal("session", {"ours": nothing, "flink": nothing})


def test_an_unknown_work_is_refused():
    done = bench("--works", "hopping")
    assert done.returncode == 2
    assert "--works: one of scan, session_500k" in done.stderr
    assert "got hopping" in done.stderr


def test_events_that_would_be_late_are_refused():
    done = bench("--disorder", "10001")
    assert done.returncode == 2
    assert "--disorder: at most 10000, the delay of the watermark" in done.stderr


def test_a_contestant_that_this_spark_does_not_have_is_refused(monkeypatch, capsys):
    monkeypatch.setattr(benchmark, "MISSING", ("transform",))
    with pytest.raises(SystemExit):
        benchmark.arguments(["--contestants", "ours,transform"])
    assert "--contestants: transform needs transformWithState, which Spark" in capsys.readouterr().err
