"""The notebooks of `examples`, run from start to end by the Python of the tests, in a process of their own.

A run must show what the notebooks show, which `make notebooks` writes into them.
"""

import base64
import json
import re

import pytest

from notebook_outputs import differences, is_code, shown, varies
from shared import EXAMPLES

NAMES = sorted(path.stem for path in EXAMPLES.glob("*.ipynb"))
NOTEBOOKS = EXAMPLES.parent / "tests" / "notebooks"
# How many pictures and tables each shows, at least.
SHOWN = {
    "1_quick_start": (3, 2),
    "2_triggers_and_evictors": (7, 0),
    "3_sessions": (5, 0),
    "4_late_data": (4, 1),
    "5_testing_windows": (2, 0),
    "functions": (0, 6),
}

RUN = """
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
import notebooks

notebooks.write(notebooks.executed(Path(sys.argv[2])), Path(sys.argv[3]))
"""
# Signs of a machine or its packages: folders, addresses of objects, warnings.
OF_A_MACHINE = re.compile(r"/(tmp|home|root|usr|var|Users)/|\b0x[0-9a-f]{6}|Warning\b|site-packages")


def cells_of(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def kept(name):
    return cells_of(EXAMPLES / f"{name}.ipynb")


def outputs_of(name):
    return [pair for cell in kept(name) if is_code(cell) for pair in shown(cell["outputs"])]


SHORT = {"1_quick_start", "functions"}


@pytest.mark.spark
@pytest.mark.parametrize(
    "name", [name if name in SHORT else pytest.param(name, marks=pytest.mark.long) for name in NAMES]
)
def test_a_run_shows_what_the_notebook_shows(python, tmp_path, name):
    path = EXAMPLES / f"{name}.ipynb"
    python(RUN, str(NOTEBOOKS), str(path), str(tmp_path / path.name))
    found = differences(kept(name), cells_of(tmp_path / path.name))
    advice = f"If the run is right, write it into the notebook: make notebooks NAMES={name}"
    assert not found, "\n\n".join([f"examples/{path.name} shows something else", *found, advice])


@pytest.mark.parametrize("name", NAMES)
def test_it_is_kept_with_the_outputs_of_one_run(name):
    code = [cell for cell in kept(name) if is_code(cell)]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell["outputs"]]
    assert {output["output_type"] for output in outputs} <= {"stream", "display_data", "execute_result"}
    assert {output.get("name", "stdout") for output in outputs} == {"stdout"}
    pairs = outputs_of(name)
    assert sum(kind == "image/png" for kind, _ in pairs) >= SHOWN[name][0]
    pictures = [output["data"]["image/png"] for output in outputs if "image/png" in output.get("data", {})]
    assert not any(b"tEXt" in base64.b64decode("".join(picture)) for picture in pictures)
    assert sum("+\n|" in text for kind, text in pairs if kind == "stdout") >= SHOWN[name][1]


@pytest.mark.parametrize("name", NAMES)
def test_its_outputs_depend_on_no_machine(name):
    texts = [text for kind, text in outputs_of(name) if kind != "image/png"]
    assert [text for text in texts if OF_A_MACHINE.search(text)] == []


def test_only_the_view_of_a_running_query_varies():
    cells = [cell for name in NAMES for cell in kept(name) if varies(cell)]
    assert ["".join(cell["source"]) for cell in cells] == ['sw.monitor(query, timeout="2 seconds")']


def test_the_list_of_examples_has_a_link_to_each():
    text = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert [name for name in NAMES if f"]({name}.ipynb)" not in text] == []


def test_every_picture_is_spoken_of():
    for name in NAMES:
        cells = kept(name)
        drawing = [i for i, cell in enumerate(cells) if "plot" in "".join(cell["source"]) and is_code(cell)]
        silent = [i for i in drawing if all(map(is_code, cells[i + 1 : i + 3]))]
        assert silent == [], name
