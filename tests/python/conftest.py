"""One shared SparkSession for the tests that need a JVM, and the data that their examples use.

`pytest --remote ..`, or SPARK_WINDOWING_REMOTE=1, gives them a session of a Spark Connect server instead. Tests that
cannot run there are marked with the reason, ``pytest.mark.classic("..")``, and skipped. The variable may name a server
that runs: SPARK_WINDOWING_REMOTE=sc://127.0.0.1:15002.

Tests that are marked ``pytest.mark.long`` run by ``pytest --long ..`` alone, as `make test-long` does.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
sys.path.append(str(Path(__file__).parents[1] / "platforms"))
import fast_start

from shared import CHECKPOINTS, EXAMPLES, second

os.environ.setdefault("SPARK_SUBMIT_OPTS", fast_start.options())
sys.path += [str(EXAMPLES / "flights"), str(EXAMPLES / "large_windows")]  # real data, and plans for it
sys.path.append(str(EXAMPLES.parent / "benchmarks"))
sys.path.append(str(Path(__file__).parents[1] / "chaos"))
sys.path.append(str(Path(__file__).parents[1] / "notebooks"))
sys.path.append(str(Path(__file__).parents[1] / "upserts"))
sys.path.append(str(EXAMPLES / "vehicle_count"))

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.session.timeZone": "UTC",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.streaming.metricsEnabled": "false",
    # Spark's usual one starts a process for each chmod of a checkpoint on a local disk.
    "spark.sql.streaming.checkpointFileManagerClass": CHECKPOINTS,
}


def pytest_addoption(parser):
    parser.addoption("--remote", action="store_true", help="run the tests by a server of Spark Connect")
    parser.addoption("--long", action="store_true", help="run the long tests, too")


def is_remote(config):
    return config.getoption("--remote") or bool(os.environ.get("SPARK_WINDOWING_REMOTE"))


@contextmanager
def remote_url(tmp_path_factory):
    """The address of the server that the variable names, or of one that runs as long as the tests."""
    import connect_server

    named = os.environ.get("SPARK_WINDOWING_REMOTE", "")
    if named.startswith("sc://"):
        yield named
    else:
        with connect_server.running(tmp_path_factory.mktemp("server"), SETTINGS) as server:
            yield server.url


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--long"):
        long = [item for item in items if item.get_closest_marker("long") is not None]
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]
    for item in items:
        if "python" in item.fixturenames:
            item.add_marker(pytest.mark.classic("runs a program with a classic session of its own, or none"))
        classic = item.get_closest_marker("classic")
        if classic is not None and is_remote(config):
            item.add_marker(pytest.mark.skip(reason=f"classic session only: {classic.args[0]}"))
        if item.get_closest_marker("remote") is not None and not is_remote(config):
            item.add_marker(pytest.mark.skip(reason="by a server of Spark Connect alone: pytest --remote"))
    if is_remote(config):
        send_by_value({item.module for item in items})


def send_by_value(modules):
    """A server calls functions of the tests in processes that have the package, but not the tests."""
    from pyspark import cloudpickle

    import shared_list

    for module in (*modules, shared_list):
        cloudpickle.register_pickle_by_value(module)


@pytest.fixture(scope="session")
def settings():
    """Settings of all servers and sessions."""
    return SETTINGS


@pytest.fixture(scope="session")
def plugin_url(tmp_path_factory):
    """The address of a server of Spark Connect with the plugin."""
    with remote_url(tmp_path_factory) as url:
        yield url


@pytest.fixture(scope="session")
def connect_url(request):
    """The address of the server by which all tests run, or None for a classic session."""
    return request.getfixturevalue("plugin_url") if is_remote(request.config) else None


def remember(jvm, *names):
    """Keep what these names stand for: py4j would look for them in all jars, each time that PySpark uses them."""
    for name in names:
        found = jvm
        for part in name.split("."):
            setattr(found, part, getattr(found, part))
            found = getattr(found, part)


@pytest.fixture(scope="session")
def spark(connect_url):
    from pyspark.sql import SparkSession

    if connect_url is not None:
        session = SparkSession.builder.remote(connect_url).getOrCreate()
        yield session
        session.stop()
        return
    builder = SparkSession.builder.master("local[2]").appName("spark-windowing tests")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    remember(
        session.sparkContext._jvm,
        "functions",
        "PythonUtils",
        "PythonRDD",
        "SerDeUtil",
        "py4j.reflection.TypeUtil",
    )
    yield session
    session.stop()


@pytest.fixture
def clicks(spark):
    """Clicks of two users, a at 1, 4 and 12 seconds, b at 3 seconds."""
    rows = [("a", 3, second(1)), ("b", 7, second(3)), ("a", 4, second(4)), ("a", 5, second(12))]
    return spark.createDataFrame(rows, "user string, price int, ts timestamp")


@pytest.fixture
def python():
    """Run a program in a Python of its own, for sessions that differ from the shared one."""

    def run(code, *arguments):
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run
