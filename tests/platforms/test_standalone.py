"""The quick start and a stream with a Python function on a standalone cluster, and on `local-cluster`: make test-standalone.

Master and workers are processes of their own, with one executor each; Python workers of the executors do not find this
package, so functions go to them by value.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import pyspark
import pytest

import fast_start
import quick_start
from cluster import Cluster

ROOT = Path(__file__).parents[2]
STREAM = Path(__file__).parent / "jobs" / "stream_of_functions.py"
SPARK = Path(pyspark.__file__).parent
SUBMIT = SPARK / "bin" / "spark-submit"
LOCAL_CLUSTER = "local-cluster[2,1,1024]"
FOUND = {
    "runs": [
        {"main": [["a", 7], ["b", 7]], "cheap": [3], "late": []},
        {"main": [["a", 10]], "cheap": [1], "late": [2]},
    ],
    "package": False,
    "executors": 2,
}


def call(*command, **env):
    done = subprocess.run(
        list(map(str, command)),
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "MPLBACKEND": "Agg",
            **env,
        },
    )
    assert done.returncode == 0, done.stderr[-6000:]
    return done.stdout


def jar():
    return call(sys.executable, "-m", "spark_windowing", "jar-path").strip()


@pytest.fixture(scope="module")
def standalone(tmp_path_factory):
    with Cluster(tmp_path_factory.mktemp("cluster") / "logs") as cluster:
        yield cluster.settings()


@pytest.fixture
def workers(tmp_path):
    """Settings under which the Python of executors finds no spark_windowing."""
    package = tmp_path / "none" / "spark_windowing"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise ImportError('a worker has no package')")
    return {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraJavaOptions": fast_start.OPTIONS,
        "spark.executor.extraJavaOptions": fast_start.OPTIONS,
        "spark.executorEnv.PYTHONPATH": str(tmp_path / "none"),
    }


def submit(settings, *command, **env):
    confs = [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
    return call(SUBMIT, *confs, *command, **env)


def check_stream(folder):
    """Compare the rows of the stream; the pythons of the workers."""
    found = json.loads((folder / "found.json").read_text(encoding="utf-8"))
    pythons = found.pop("pythons")
    assert found == FOUND
    return pythons


def check_quick_start(printed, master):
    spark, _, ran_on = quick_start.check(printed)
    assert spark == pyspark.__version__
    assert ran_on == master


@pytest.fixture
def notebook(tmp_path):
    path = tmp_path / "quick_start.py"
    path.write_text(quick_start.program(master=""), encoding="utf-8")
    return path


def forget(folder):
    """Delete what local-cluster leaves in Spark's own folder."""
    shutil.rmtree(SPARK / "work" / (folder / "application").read_text(encoding="utf-8"))
    with suppress(OSError):  # another application is in it
        (SPARK / "work").rmdir()


def test_the_quick_start_on_a_standalone_cluster(standalone, workers, notebook):
    printed = submit({**standalone, **workers}, "--jars", jar(), notebook)
    check_quick_start(printed, standalone["spark.master"])


@pytest.mark.parametrize("way", ["--jars", "first use"])
def test_a_stream_with_a_function_on_a_standalone_cluster(standalone, workers, tmp_path, way):
    options = ["--jars", jar()] if way == "--jars" else []
    submit({**standalone, **workers}, *options, STREAM, tmp_path)
    check_stream(tmp_path)


@pytest.mark.parametrize("way", ["--jars", "first use"])
def test_a_stream_with_a_function_on_a_local_cluster(workers, tmp_path, way):
    options = ["--jars", jar()] if way == "--jars" else []
    try:
        submit({"spark.master": LOCAL_CLUSTER, **workers}, *options, STREAM, tmp_path)
    finally:
        forget(tmp_path)
    check_stream(tmp_path)


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """An environment of pandas and PyArrow, packed for `--archives`; its Python says where it runs from."""
    folder = tmp_path_factory.mktemp("packed")
    call(sys.executable, "-m", "venv", folder / "env")
    python = folder / "env" / "bin" / "python"
    wanted = [f"{name}=={version(name)}" for name in ("pandas", "pyarrow", "numpy")]
    call(python, "-m", "pip", "install", "-q", "venv-pack==0.2.0", "setuptools<81", *wanted)
    call(folder / "env" / "bin" / "venv-pack", "-q", "-p", folder / "env", "-o", folder / "env.tar.gz")
    shutil.rmtree(folder / "env")
    return folder / "env.tar.gz"


def test_an_archive_brings_pandas_to_the_workers(standalone, workers, tmp_path, archive):
    sent = {
        "spark.archives": f"{archive}#env",
        "spark.pyspark.python": "./env/bin/python",
        "spark.pyspark.driver.python": sys.executable,
    }
    submit({**standalone, **workers, **sent}, STREAM, tmp_path)
    pythons = check_stream(tmp_path)
    assert len(pythons) in (1, 2)
    assert all(re.search(r"/work/app-[^/]+/\d+/env$", python) for python in pythons), pythons


ONLY_A_WHEEL = """
import sys
import zipimport


class OnlyAWheel:
    def find_spec(self, name, path=None, target=None):
        if name != "spark_windowing":
            return None
        wheels = [entry for entry in sys.path if entry.endswith(".whl")]
        if not wheels:
            raise ModuleNotFoundError("No module named 'spark_windowing'", name=name)
        return zipimport.zipimporter(wheels[0]).find_spec(name)


sys.meta_path.insert(0, OnlyAWheel())
"""


def test_a_driver_without_the_package_takes_the_wheel_and_the_jar(standalone, workers, tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(ONLY_A_WHEEL, encoding="utf-8")
    (wheel,) = (ROOT / "dist").glob("*.whl")
    options = ["--jars", jar(), "--py-files", wheel]
    submit({**standalone, **workers}, *options, STREAM, tmp_path, PYTHONPATH=str(site))
    check_stream(tmp_path)
