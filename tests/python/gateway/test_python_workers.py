"""The Python of Spark's workers, where it is not that of the driver: said by the declaration and by the doctor."""

import json
import subprocess
import sys

import pytest

from connect_server import WITHOUT_PACKAGE
from spark_windowing._gateway import python_workers

pytestmark = [
    pytest.mark.spark,
    pytest.mark.classic("starts processes with classic sessions of their own"),
]

PRELUDE = """
import json
import os
import sys
import pandas as pd
import spark_windowing as sw
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

def start(workers):
    global spark, windows
    os.environ["PYSPARK_PYTHON"] = workers
    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    frame = spark.range(3).select((F.col("id") % 2).alias("k"), F.timestamp_seconds("id").alias("ts"))
    windows = sw.key_by(frame, "k", time="ts").time_window("1 minute")

count = lambda key, context, rows: pd.DataFrame({"n": [len(rows)]})
calls = {
    "process": lambda: windows.process(count, "n long"),
    "apply": lambda: windows.apply(count, "n long"),
    "aggregate": lambda: windows.aggregate(F.count("*").alias("n"), process=count, schema="n long"),
    "reduce": lambda: windows.reduce(lambda a, b: a, process=count, schema="n long"),
    "plain": lambda: windows.aggregate(F.count("*").alias("n")),
}

def said(call):
    try:
        return str(sorted(row.n for row in call().select("n").collect()))
    except sw.SparkWindowingError as error:
        return f"{error.problem} -> {error.remedy}"
"""

# Prints what is said with each interpreter, then how many jobs more calls take.
EVERY = """
for name, workers in json.loads(sys.argv[1]).items():
    start(workers)
    found = {name: said(call) for name, call in calls.items()}
    found["doctor"] = [f"{f.subject}: {f.found} -> {f.remedy}" for f in sw.doctor().problems]
    print(json.dumps(found))
    if workers != sys.executable:
        spark.stop()
jobs = len(spark.sparkContext.statusTracker().getJobIdsForGroup())
calls["process"](), calls["apply"](), sw.doctor(spark)
print(len(spark.sparkContext.statusTracker().getJobIdsForGroup()) - jobs)
print(sw.doctor(spark).ok, [f.found for f in sw.doctor(spark).findings if f.subject == "Python workers"])
"""

HIDDEN = {
    "pandas": (["import sys", "sys.modules['pandas'] = None"], "Pandas >= "),
    "pyarrow": (["import sys", "sys.modules['pyarrow'] = None"], "PyArrow >= "),
    "an old pandas": (
        [
            "import sys, types",
            "sys.modules['pandas'] = p = types.ModuleType('pandas')",
            "p.__version__ = '0.25.3'",
        ],
        " 0.25.3",
    ),
}
ANOTHER_VERSION = [
    "import sys",
    "class V(tuple):",
    "    major, minor, micro, releaselevel, serial = (property(lambda v, i=i: v[i]) for i in range(5))",
    "sys.version_info = V((3, sys.version_info[1] + 1, 0, 'final', 0))",
]


def interpreter(folder, *lines):
    """Make an interpreter for workers: this Python, with a sitecustomize of these lines."""
    (folder / "site").mkdir()
    (folder / "site" / "sitecustomize.py").write_text("\n".join(lines))
    path = folder / "python-of-workers"
    path.write_text(
        f"#!/bin/sh\nPYTHONPATH='{folder}/site':$PYTHONPATH exec '{sys.executable}' \"$@\"\n",
        encoding="utf-8",
    )
    path.chmod(0o755)
    return str(path)


@pytest.fixture(scope="module")
def workers(tmp_path_factory):
    """Interpreters for workers, by name."""
    lines = {**{name: lines for name, (lines, _) in HIDDEN.items()}, "another version": ANOTHER_VERSION}
    made = {name: interpreter(tmp_path_factory.mktemp("workers"), *text) for name, text in lines.items()}
    return {**made, "none": str(tmp_path_factory.mktemp("none") / "none"), "this": sys.executable}


@pytest.fixture(scope="module")
def told(workers):
    """What is said with each interpreter, by its name, in sessions one after the other; then the other lines."""
    lines = run(PRELUDE + EVERY, json.dumps(workers))
    found = dict(zip(workers, map(json.loads, lines[: len(workers)]), strict=True))
    return found, lines[len(workers) :]


def run(*program):
    done = subprocess.run(
        [sys.executable, "-c", *program],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("hidden", HIDDEN)
def test_what_the_workers_lack_is_said_with_the_interpreter_and_the_line_to_type(told, hidden):
    _, missing = HIDDEN[hidden]
    found = dict(told[0][hidden])
    assert found.pop("plain") == "[1, 2]"
    (found["doctor"],) = found["doctor"]
    assert found["doctor"].startswith("Python workers: ")
    for name, text in found.items():
        problem, remedy = text.split(" -> ")
        assert sys.executable in problem, name  # what the interpreter says of itself
        assert missing.lower() in problem.lower(), name
        setting = f'before the session starts: os.environ["PYSPARK_PYTHON"] = "{sys.executable}"'
        assert remedy.startswith(setting), name
        assert f"--conf spark.pyspark.python={sys.executable}" in remedy, name
        assert f'{sys.executable} -m pip install "pandas>=2.2,<3" "pyarrow>=18"' in remedy, name


def test_python_3_12_has_no_distutils_which_spark_3_5_imports():
    packages = python_workers._packages("No module named 'distutils'")
    assert packages == '"pandas>=2.2,<3" "pyarrow>=18" setuptools "numpy>=2"'
    assert python_workers._packages("Pandas >= 2.2.0 must be installed") == '"pandas>=2.2,<3" "pyarrow>=18"'


def test_a_driver_without_pandas_is_told_so():
    code = """
start(sys.executable)
sys.modules["pandas"] = None
print(said(calls["process"]))
"""
    (line,) = run(PRELUDE + code)
    assert line.startswith(
        f"This Python, {sys.executable}, cannot call Python functions of windows: Pandas >= "
    )
    assert line.endswith(f'-> {sys.executable} -m pip install "pandas>=2.2,<3" "pyarrow>=18"')


def test_workers_without_this_package_find_what_a_function_returns_and_no_more(tmp_path):
    code = """
start(sys.argv[1])
from spark_windowing import sim
part = sw.CountTrigger.of(3)

def tagged(key, context: sw.Context, rows):
    return [pd.DataFrame({"n": [len(rows)]}), sw.Tagged("ks", rows[["k"]])]

def by_name(key, context, rows):
    return pd.DataFrame({"n": [len(sw.api)]})

def by_import(key, context, rows):
    from spark_windowing import api
    return pd.DataFrame({"n": [len(api)]})

def by_import_of_a_module(key, context, rows):
    import spark_windowing.sim
    return pd.DataFrame({"n": [len(spark_windowing.sim.__all__)]})

def by_import_from_a_module(key, context, rows):
    from spark_windowing.sim import simulate
    return pd.DataFrame({"n": [len(simulate.__name__)]})

def by_module(key, context, rows):
    return pd.DataFrame({"n": [len(sim.__all__)]})

def by_value(key, context, rows):
    return pd.DataFrame({"n": [len(repr(part))]})

result = windows.process(tagged, "n long", side_outputs={"ks": "k long"})
print(said(lambda: result), sorted(row.k for row in sw.side_output(result, "ks").collect()))
for function in (
    by_name, by_import, by_import_of_a_module, by_import_from_a_module, by_module, by_value
):
    try:
        windows.process(function, "n long").collect()
    except Exception as error:
        print(next(line for line in str(error).splitlines() if "is not there" in line))
"""
    given, *refused = run(PRELUDE + code, interpreter(tmp_path, *WITHOUT_PACKAGE))
    assert given == "[1, 2] [0, 0, 1]"
    names = ["api", "api", "sim", "sim", "sim", "_builders"]
    assert len(refused) == len(names)
    for name, text in zip(names, refused, strict=True):
        assert f"spark_windowing.{name}" in text
        assert "this process has no spark_windowing, and a function finds Tagged and Context of it" in text


def test_code_that_looks_at_all_modules_works_beside_the_stand_in(python):
    lines = [
        *WITHOUT_PACKAGE[:-1],
        "import importlib.util, pickle",
        "from spark_windowing._gateway.pickling import pack, unpack",
        "function = pack(len)",
        "del sys.modules['spark_windowing']",
        "sys.meta_path.insert(0, Without)",
        "unpack(function, {'Tagged': tuple})",
        "print(any(hasattr(module, 'no_such_name') for module in list(sys.modules.values())))",
        "class Marker:",
        "    __module__ = None",
        "    def __reduce__(self): return 'marker'",
        "marker = Marker()",
        "print(pickle.loads(pickle.dumps(marker)) is marker)",
        "print(importlib.util.find_spec('spark_windowing').name)",
    ]
    assert python("\n".join(lines)) == ["False", "True", "spark_windowing"]


def test_a_process_that_gets_the_package_later_takes_it(python):
    lines = [
        *WITHOUT_PACKAGE[:-1],
        "import spark_windowing as sw",
        "from spark_windowing._gateway.pickling import pack, unpack",
        "function = pack(lambda: sw.CountTrigger.__name__)",
        "names = {'Tagged': sw.Tagged}",
        "del sys.modules['spark_windowing']",
        "sys.meta_path.insert(0, Without)",
        "try:",
        "    unpack(function, names)()",
        "except AttributeError as error:",
        "    print(str(error).partition(':')[0])",
        "sys.meta_path.remove(Without)",
        "print(unpack(function, names)())",
    ]
    assert python("\n".join(lines)) == ["spark_windowing.CountTrigger is not there", "CountTrigger"]


def test_workers_of_another_python_version_are_refused(told, workers):
    line = told[0]["another version"]["process"]
    version = ".".join(map(str, sys.version_info[:2]))
    assert f"Spark's Python workers run {workers['another version']}, which is not Python {version}" in line
    assert f'-> before the session starts: os.environ["PYSPARK_PYTHON"] = "{sys.executable}"' in line


def test_workers_that_do_not_start_are_refused(told, workers):
    line = told[0]["none"]["process"]
    assert f"Spark's Python workers, {workers['none']}, do not run: " in line
    assert "No such file" in line
    assert f'-> before the session starts: os.environ["PYSPARK_PYTHON"] = "{sys.executable}"' in line


def test_what_the_remedy_says_works_and_is_asked_once(told):
    found, (more, healthy) = told
    assert found["pandas"]["process"].startswith("Spark's Python workers run")
    given = dict.fromkeys(("process", "apply", "plain"), "[1, 2]")
    of_one_row = dict.fromkeys(("aggregate", "reduce"), "[1, 1]")
    assert found["this"] == {**given, **of_one_row, "doctor": []}
    assert more == "0"
    assert healthy.startswith(f"True ['{sys.executable}, Python 3.")
    assert "pandas 2." in healthy
