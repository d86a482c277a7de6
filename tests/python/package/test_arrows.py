"""The imports of the package: none goes in a circle, between modules or between folders."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import spark_windowing as sw

ROOT = Path(sw.__file__).parent
# Run.plot imports the pictures when it is called; they need to know what a run is.
LAZY = ("_simulation.run", "_pictures.of_runs")


def name_of(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


SOURCES = {name_of(path): path.read_text(encoding="utf-8") for path in ROOT.rglob("*.py")}


def imported(source, known):
    """The modules of the package that a source imports, also in functions and for type checkers."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.level:
            raise ValueError(f"line {node.lineno} has a relative import: write the full name")
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            top, _, inner = name.partition(".")
            if top == "spark_windowing":
                yield inner if inner in known else inner.rpartition(".")[0] or "__init__"


def arrows(sources):
    return {(name, to) for name, source in sources.items() for to in imported(source, sources)} - {LAZY}


def folders(pairs):
    pairs = {(name.partition(".")[0], to.partition(".")[0]) for name, to in pairs}
    return {(name, to) for name, to in pairs if name != to}


def circle(pairs):
    """A circle among pairs of importer and imported as text, empty if there is none."""
    graph = TopologicalSorter()
    for name, to in pairs:
        graph.add(name, to)
    try:
        graph.prepare()
    except CycleError as error:
        return " -> ".join(reversed(error.args[1]))
    return ""


def test_no_module_imports_itself_through_others():
    assert circle(arrows(SOURCES)) == ""


def test_no_folder_imports_itself_through_others():
    assert circle(folders(arrows(SOURCES))) == ""


def test_the_one_import_that_waits_is_needed():
    assert LAZY[1] in imported(SOURCES[LAZY[0]], SOURCES)
    first = ast.parse(SOURCES[LAZY[0]]).body
    assert not any(isinstance(node, ast.ImportFrom) and "_pictures" in node.module for node in first)


@pytest.mark.parametrize(
    ("sources", "found"),
    [
        ({"_a.x": "from spark_windowing._a import y", "_a.y": "import spark_windowing._a.x"}, "_a.x -> _a.y"),
        (
            {
                "_a.x": "def f():\n    from spark_windowing._b.y import z",
                "_b.y": "import spark_windowing._a.x",
            },
            "_a.x -> _b.y",
        ),
        ({"_a.x": "from spark_windowing._b.y import z", "_b.y": "import os"}, ""),
        (
            {"sim": "from spark_windowing import key_by", "__init__": "import spark_windowing.sim"},
            "__init__ -> sim",
        ),
    ],
)
def test_a_circle_is_found_and_shown(sources, found):
    shown = circle(arrows(sources)).split(" -> ")
    assert " -> ".join(sorted(set(shown))) == found
    assert len(shown) == 3 if found else shown == [""]
