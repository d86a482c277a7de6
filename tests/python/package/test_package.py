"""The public surface: what is exported, described and importable."""

import inspect
import os
import pkgutil
import re
import socket
import subprocess
import sys
from collections import ChainMap
from pathlib import Path

import pytest

import spark_windowing as sw
from spark_windowing import sim
from spark_windowing.__main__ import main
from spark_windowing._gateway import doctor, jar

PACKAGE = Path(sw.__file__).parent
README = Path(__file__).parents[3] / "python" / "README.md"

public = [getattr(sw, name) for name in sw.__all__]
described = [
    value
    for value in [*public, *(getattr(sim, name) for name in sim.__all__)]
    if inspect.isfunction(value) or inspect.isclass(value)
]


def test_all_names_what_the_readme_describes():
    table = README.read_text(encoding="utf-8").partition("## The API")[2].partition("| step | names |")[2]
    assert set(re.findall(r"`(\w+)`", table)) == set(sw.__all__)


def test_all_names_everything_that_is_imported():
    imported = {name for name, value in vars(sw).items() if not name.startswith("_") and value is not None}
    assert imported - {"sim"} == set(sw.__all__) - {"sim", "__version__"}
    assert len(set(sw.__all__)) == len(sw.__all__)


def test_every_module_but_sim_is_private():
    names = {module.name for module in pkgutil.iter_modules([str(PACKAGE)])}
    assert {name for name in names if not name.startswith("_")} == {"sim"}


@pytest.mark.parametrize("value", described, ids=lambda value: value.__name__)
def test_public_things_are_described(value):
    assert inspect.getdoc(value)
    if inspect.isfunction(value):
        check_function(value)
    else:
        parts = [vars(kind) for kind in value.__mro__ if kind.__module__.startswith("spark_windowing.")]
        for name, member in ChainMap(*parts).items():
            if not name.startswith("_") and inspect.isfunction(
                inspect.unwrap(getattr(member, "__func__", member))
            ):
                check_function(getattr(member, "__func__", member), owner=value)


def check_function(function, owner=None):
    text = inspect.getdoc(function)
    assert text, f"{owner} {function.__name__} has no docstring"
    names = [name for name in inspect.signature(function).parameters if name not in {"self", "cls"}]
    described_names = set(re.findall(r"^\*{0,2}([\w, ]+)$", text.partition("Parameters\n")[2], re.MULTILINE))
    flat = {part.strip() for names in described_names for part in names.split(",")}
    missing = [name for name in names if name not in flat]
    assert not missing, f"{function.__qualname__}: {missing} not described"


def test_the_version_of_a_jar_is_text():
    with pytest.raises(TypeError, match=r'version must be that of a Spark, such as "4.2.0", got 4.0'):
        sw.jar_path(4.0)


def test_it_is_typed():
    assert (PACKAGE / "py.typed").exists()


def test_the_command_line_names_the_jar(capsys, monkeypatch, tmp_path):
    assert main(["jar-path"]) == 0
    assert capsys.readouterr().out == f"{sw.jar_path()}\n"
    assert main(["jar-path", "4.0.4"]) == 0
    assert capsys.readouterr().out == f"{sw.jar_path('4.0.4')}\n"
    monkeypatch.setattr(jar, "_FOLDER", tmp_path)
    assert main(["jar-path"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert f"in {tmp_path} there is no jar at all.\n  pip install --force-reinstall" in err


@pytest.mark.parametrize("version", ["4", "3.4", "4.4.0", "5", "new", ""])
def test_a_version_without_a_jar_is_answered_with_those_that_have_one(capsys, version):
    assert main(["jar-path", version]) == 1
    problem, remedy = capsys.readouterr().err.splitlines()
    assert problem == (
        f"There is no jar for Spark {version!r}: spark-windowing {sw.__version__} has jars for Spark 3.5, 4.0 and "
        "4.1 to 4.3."
    )
    assert remedy.strip().startswith("name one of these by two numbers or more: ")
    command = remedy.partition("python -m spark_windowing ")[2].partition("   ")[0]
    assert main(command.split()) == 0
    with pytest.raises(sw.SparkWindowingError) as error:
        sw.jar_path(version)
    assert str(error.value) == f"{problem}\n{remedy}"


def test_without_java_the_doctor_names_those_that_this_spark_runs_on(python, monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    head = """
import sys
import spark_windowing as sw
def java():
    print(*[f"{f.found} -> {f.remedy}" for f in sw.doctor().problems if f.subject == "Java"])
"""
    versions = """
import pyspark
for pyspark.__version__ in ("3.5.8", "4.0.4", "4.3.0", "4.4.0"):
    java()
"""
    either = "17 or later, for Spark 3.5 8, 11 or 17"
    wanted = ["8, 11 or 17", "17 or later", "17 or later", either, either]
    assert python(head + versions) + python(f"{head}\nsys.modules['pyspark'] = None\njava()") == [
        f"none in JAVA_HOME = {tmp_path} -> install a JDK {needed}, or set JAVA_HOME" for needed in wanted
    ]


@pytest.mark.parametrize("arguments", [[], ["jar"], ["doctor", "now"]])
def test_another_command_line_gets_the_usage(capsys, arguments):
    assert main(arguments) == 2
    assert "usage: python -m spark_windowing doctor" in capsys.readouterr().err


def test_doctor_starts_no_session_where_only_the_client_of_spark_connect_is(capsys, monkeypatch):
    monkeypatch.delenv("SPARK_REMOTE", raising=False)
    monkeypatch.setattr(doctor, "_is_client", lambda: True)
    monkeypatch.setattr(doctor, "running_session", lambda: None)
    assert main(["doctor"]) == 0
    assert "or set SPARK_REMOTE=sc://host:15002, and ask again" in capsys.readouterr().out


def test_doctor_of_a_server_that_does_not_answer_says_so_at_once_and_needs_no_java(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        url = f"sc://127.0.0.1:{closed.getsockname()[1]}/;user_id=ann"
    shell = {**os.environ, "SPARK_REMOTE": url, "JAVA_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "spark_windowing", "doctor"]
    done = subprocess.run(command, env=shell, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1, done.stderr
    assert f"{url} of SPARK_REMOTE does not answer: " in done.stdout
    assert "check the address, or " in done.stdout
    assert "start it: spark-submit --class org.apache.spark.sql.connect" in done.stdout
    assert done.stdout.endswith("1 to mend\n")


@pytest.mark.parametrize("url", ["sc://[::1", "sc://host:port"])
def test_doctor_of_an_address_that_is_none_says_so(monkeypatch, capsys, url):
    monkeypatch.setenv("SPARK_REMOTE", url)
    assert main(["doctor"]) == 1
    assert f"{url} of SPARK_REMOTE does not answer: " in capsys.readouterr().out


def test_doctor_leaves_the_server_behind_a_proxy_to_spark(monkeypatch):
    monkeypatch.setenv("grpc_proxy", "http://proxy:3128")
    assert doctor._answer("sc://127.0.0.1:1") == "sc://127.0.0.1:1 is reached through a proxy"


def test_doctor_finds_pyspark_beside_its_client(monkeypatch):
    installed = {"pyspark": "4.1.4", "pyspark-client": "4.1.3"}
    monkeypatch.setattr(doctor, "_installed", installed.get)
    found = {finding.subject: finding for finding in sw.doctor().problems}["pyspark"]
    assert found.found.startswith("pyspark 4.1.4 and pyspark-client 4.1.3 are both installed")
    assert f'{sys.executable} -m pip install "pyspark==4.1.4"' in found.remedy
    del installed["pyspark-client"]
    assert "pyspark" not in {finding.subject for finding in sw.doctor().problems}


def test_import_needs_no_pyspark_and_has_no_side_effect():
    code = (
        "import sys; sys.modules['pyspark'] = None; import os; before = dict(os.environ)\n"
        "import spark_windowing as sw\n"
        "assert dict(os.environ) == before and 'matplotlib' not in sys.modules\n"
        "print(sw.PurgingTrigger.of(sw.CountTrigger.of(2)))\n"
        "try: sw.key_by(object(), 'user')\n"
        "except sw.SparkWindowingError as error: print(error)\n"
        "try: sw.attach()\n"
        "except sw.SparkWindowingError as error: print(error.problem)\n"
        "try: sw.jar_path()\n"
        "except sw.SparkWindowingError as error: print(error.remedy)\n"
        "print(sw.jar_path('4.2').endswith('.jar'))\n"
        "print([f.remedy for f in sw.doctor().problems if f.subject != 'Java'])\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == [
        "PurgingTrigger.of(CountTrigger.of(2))",
        "PySpark is not installed.",
        '  pip install "pyspark>=3.5,<4.4"',
        "PySpark is not installed.",
        "python -m spark_windowing jar-path 4.2   (with your version of Spark)",
        "True",
        "['pip install \"pyspark>=3.5,<4.4\"']",
    ]
