"""Commands of make that pages, notebooks and docstrings name: the Makefile has them, and the variables given to them."""

import os
import re
import subprocess

import pytest
from prose import PAGES, ROOT, code, name_of

FOLDERS = ["python", "tests", "examples", "benchmarks", "docs"]
SCRIPTS = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
COMMAND = re.compile(r"(?:^|[\s;&])make ((?:[A-Z_]+=\S+ )*)([a-z][\w.-]*)((?: [A-Z_]+=)?.*)")


def commands(lines):
    """The targets and variables that lines of code name, each with its place."""
    for place, line in lines:
        for found in COMMAND.finditer(line):
            for target in [found[2], *re.findall(r"\bmake ([a-z][\w.-]*)", found[3])]:
                yield place, target.rstrip(".")
            for name in re.findall(r"(?:^| )([A-Z_]+)=", found[1] + found[3]):
                yield place, f"{name}="


def spans(path):
    """Texts between backticks in a Python file, with their places."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        for span in re.findall(r"`+([^`]+)`+", line):
            yield f"{name_of(path)}:{number}", span


@pytest.fixture(scope="module")
def known():
    """Targets of the Makefile, with those that it makes of lists, and `NAME=` for its variables."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))
    }
    database = subprocess.run(
        ["make", "-pRrq", "help"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    ).stdout
    rules = re.sub(r"^# Not a target:\n.*$", "", database, flags=re.MULTILINE)
    targets = re.findall(r"^([a-z][\w.-]*):(?!=)", rules, re.MULTILINE)
    variables = re.findall(r"\$\(([A-Z_]+)\)", (ROOT / "Makefile").read_text(encoding="utf-8"))
    switches = re.findall(r"\$\(if \$\(([A-Z_]+)\)", (ROOT / "Makefile").read_text(encoding="utf-8"))
    return {*targets, *(f"{name}=" for name in [*variables, *switches])}


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_the_commands_of_a_page_exist(known, path):
    assert [f"{place} {name}" for place, name in commands(code(path)) if name not in known] == []


def test_the_commands_that_python_files_name_exist(known):
    named = [found for path in SCRIPTS for found in commands(spans(path))]
    assert {name for _, name in named} >= {"chaos", "notebooks"}
    assert [f"{place} {name}" for place, name in named if name not in known] == []


def test_targets_of_lists_are_known(known):
    assert known >= {"test", "test-spark-4.3.0", "ON="}
    assert not known & {"tests", "versions.properties", "test-spark", "build.sbt"}


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("make test", ["test"]),
        ("make demo     # a year of real flights", ["demo"]),
        ("make wheel && pip install x", ["wheel"]),
        ("make wheel && make demo", ["wheel", "demo"]),
        ("make conformance N=1000 SEED=7", ["conformance", "N=", "SEED="]),
        ('make bench OPTIONS="--rounds 5"', ["bench", "OPTIONS="]),
        ("make ON=3.5.8 bench", ["bench", "ON="]),
        ("remake test", []),
    ],
)
def test_commands_are_read(line, named):
    assert [name for _, name in commands([("page.md:1", line)])] == named
