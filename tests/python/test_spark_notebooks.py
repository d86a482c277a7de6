"""The notebooks of `examples`, run from start to end by the Python of the tests, in a process of their own."""

import json
import sys

import pytest

from conftest import EXAMPLES

pytestmark = pytest.mark.spark

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


@pytest.mark.parametrize("name", ["functions"])
def test_it_runs_from_start_to_end(python, name):
    path = EXAMPLES / f"{name}.ipynb"
    cells = json.loads(python(RUN, str(path), str(EXAMPLES))[-1])["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert all(cell["execution_count"] for cell in code)
    outputs = [output for cell in code for output in cell["outputs"]]
    assert [output for output in outputs if output["output_type"] == "error"] == []
    assert "".join(outputs[-1]["text"]).strip() == sys.executable
    assert sum("only showing top" in "".join(output.get("text", "")) for output in outputs) > 5


@pytest.mark.parametrize("name", ["functions"])
def test_it_is_kept_without_outputs(name):
    cells = json.loads((EXAMPLES / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)
