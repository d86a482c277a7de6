"""`examples/monitoring`: a real Prometheus scrapes a running query, and what it is to ask and to say of it."""

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pytest
import yaml

from servers import free_ports
from shared import EXAMPLES

pytestmark = pytest.mark.spark

FOLDER = EXAMPLES / "monitoring"
TOOLS = Path(__file__).parents[3] / "target" / "services" / "prometheus" / "usr" / "bin"
PATIENCE = 180  # seconds
NAMES = "metrics_shop_driver_spark_windowing_clicks_windows_"
# It reads a line before the query ends, and one before the session does.
JOB = """
import sys
import watched
spark = watched.session(int(sys.argv[1]))
query = watched.start(spark, sys.argv[2], rows=200)
input()
query.stop()
input()
spark.stop()
"""


def tool(name):
    """Return the path of a program of Prometheus; skip the test where there is none."""
    path = shutil.which(name, path=f"{TOOLS}:{os.environ['PATH']}")
    if path is None:
        pytest.skip(
            f"no {name} here: `make {TOOLS.parents[1].relative_to(Path(__file__).parents[3])}` takes it from Debian"
        )
    return path


def get(url):
    with urllib.request.urlopen(url, timeout=30) as answer:
        return answer.read().decode()


def until(what):
    """Return what a function returns once that is true; an address that does not answer yet is none."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            if found := what():
                return found
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            pass
        time.sleep(0.2)
    pytest.fail(f"not within {PATIENCE} s")


class Job:
    """The query of the example in a session of its own."""

    def __init__(self, folder):
        (port,) = free_ports(1)
        self.ui = f"http://127.0.0.1:{port}"
        path = os.pathsep.join([str(FOLDER), *filter(None, [os.environ.get("PYTHONPATH")])])
        self._log = (folder / "job.log").open("wb")
        self._process = subprocess.Popen(
            [sys.executable, "-c", JOB, str(port), str(folder / "checkpoint")],
            env={**os.environ, "PYTHONPATH": path, "SPARK_LOCAL_IP": "127.0.0.1"},
            stdin=subprocess.PIPE,
            stdout=self._log,
            stderr=self._log,
        )

    def line(self):
        self._process.stdin.write(b"\n")
        self._process.stdin.flush()

    def figures(self):
        """Return the figures of windows as Spark serves them, by name."""
        lines = [line for line in get(f"{self.ui}/metrics/prometheus/").splitlines() if "windowing" in line]
        return {line.partition("{")[0]: float(line.rpartition(" ")[2]) for line in lines}

    def close(self):
        self._process.terminate()
        self._process.communicate()
        self._log.close()


@pytest.fixture
def job(tmp_path):
    started = Job(tmp_path)
    yield started
    started.close()


@pytest.fixture
def prometheus(job, tmp_path):
    """Return the address of a Prometheus with the example's settings, which scrapes the job each second."""
    (port,) = free_ports(1)
    settings = yaml.safe_load((FOLDER / "prometheus.yml").read_text())
    settings["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    settings["rule_files"] = [str(FOLDER / "alerts.yml")]
    settings["scrape_configs"][0]["static_configs"] = [{"targets": [job.ui.removeprefix("http://")]}]
    config = tmp_path / "prometheus.yml"
    config.write_text(yaml.safe_dump(settings))
    address = f"127.0.0.1:{port}"
    command = [tool("prometheus"), f"--config.file={config}", f"--web.listen-address={address}"]
    with (tmp_path / "prometheus.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, f"--storage.tsdb.path={tmp_path / 'data'}"], stdout=log, stderr=log
        )
        yield f"http://{address}"
        process.terminate()
        process.wait()


def asked(prometheus, query):
    """Return what Prometheus answers to a query: the labels of each series with its value."""
    answer = json.loads(get(f"{prometheus}/api/v1/query?{urllib.parse.urlencode({'query': query})}"))
    return [(series["metric"], float(series["value"][1])) for series in answer["data"]["result"]]


def questions():
    """Return the queries of the dashboard, for all queries of Spark."""
    panels = json.loads((FOLDER / "dashboard.json").read_text())["panels"]
    return [target["expr"].replace("$query", ".*") for panel in panels for target in panel["targets"]]


@pytest.mark.classic("the job has a classic session of its own")
def test_figures_are_there_while_the_query_runs(job):
    expected = {
        "0_firedPanes_Count",
        "0_openWindows_Value",
        "0_stateBytes_Value",
        "watermark_Value",
        "watermarkLagMs_Value",
        "input_0_watermarkLagMs_Value",
        *(f"input_0_partition_shop_{number}_lagMs_Value" for number in range(3)),
    }
    until(lambda: {f"{NAMES}{name}" for name in expected} <= job.figures().keys())
    page = get(f"{job.ui}/windows/")
    assert "Windows of running queries" in page
    assert "<td>clicks</td><td>0, shop-1</td>" in page
    assert "Windows" in get(f"{job.ui}/jobs/")
    job.line()
    until(lambda: not job.figures())
    assert "<td>clicks</td>" not in get(f"{job.ui}/windows/")


@pytest.mark.classic("the job has a classic session of its own")
def test_prometheus_answers_all_questions_of_the_dashboard(job, prometheus):
    until(
        lambda: asked(
            prometheus, "spark_windowing_firedPanes > 0 and spark_windowing_numLateRecordsDropped > 0"
        )
    )
    for question in questions():
        assert until(lambda question=question: asked(prometheus, question))
    assert asked(prometheus, "spark_windowing_openWindows")[0][0] | {"__name__": "", "instance": ""} == {
        "__name__": "",
        "instance": "",
        "job": "spark",
        "operator": "0",
        "query": "clicks",
        "type": "gauges",
    }
    partitions = [labels["partition"] for labels, _ in asked(prometheus, "spark_windowing_partition_lagMs")]
    assert sorted(partitions) == ["shop_0", "shop_1", "shop_2"]
    job.line()
    until(lambda: not asked(prometheus, '{__name__=~"spark_windowing_.*"}'))


@pytest.mark.parametrize(
    "check", ["check config prometheus.yml", "check rules alerts.yml", "test rules alerts_test.yml"]
)
def test_promtool_finds_settings_and_alerts_right(check):
    done = subprocess.run(
        [tool("promtool"), *check.split()], cwd=FOLDER, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
