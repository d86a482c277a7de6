"""The notebooks of `examples`, run from start to end by the Python of the tests, in a process of their own."""

import json
import sys

import pytest

from shared import EXAMPLES

pytestmark = pytest.mark.spark
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.ipynb"))
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

import nbclient
import nbformat

notebook = nbformat.read(sys.argv[1], as_version=4)
notebook.cells.append(nbformat.v4.new_code_cell("import sys; print(sys.executable)"))
resources = {"metadata": {"path": sys.argv[2]}}
nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources).execute()
print(nbformat.writes(notebook).replace(chr(10), " "))
"""


def cells_of(name):
    return json.loads((EXAMPLES / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]


@pytest.mark.parametrize("name", NAMES)
def test_it_runs_from_start_to_end(python, name):
    path = EXAMPLES / f"{name}.ipynb"
    cells = json.loads(python(RUN, str(path), str(EXAMPLES))[-1])["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert all(cell["execution_count"] for cell in code)
    outputs = [output for cell in code for output in cell["outputs"]]
    assert [output for output in outputs if output["output_type"] == "error"] == []
    assert "".join(outputs[-1]["text"]).strip() == sys.executable
    pictures = [output for output in outputs if "image/png" in output.get("data", {})]
    tables = [output for output in outputs if "+\n|" in "".join(output.get("text", ""))]
    assert len(pictures) >= SHOWN[name][0]
    assert len(tables) >= SHOWN[name][1]


@pytest.mark.parametrize("name", NAMES)
def test_it_is_kept_without_outputs(name):
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells_of(name))


def test_the_list_of_examples_has_a_link_to_each():
    text = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert [name for name in NAMES if f"]({name}.ipynb)" not in text] == []


def test_every_picture_is_spoken_of():
    for name in NAMES:
        cells = cells_of(name)
        drawing = [i for i, cell in enumerate(cells) if "plot" in "".join(cell["source"]) and is_code(cell)]
        silent = [i for i in drawing if all(map(is_code, cells[i + 1 : i + 3]))]
        assert silent == [], name


def is_code(cell):
    return cell["cell_type"] == "code"
