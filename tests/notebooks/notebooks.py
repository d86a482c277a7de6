"""Run the notebooks of `examples` and write their outputs into them: `make notebooks`, NAMES="3_sessions" for one."""

import argparse
import base64
import copy
import io
import sys
from pathlib import Path

import nbclient
import nbformat
from PIL import Image

from notebook_outputs import taken_over

EXAMPLES = Path(__file__).parents[2] / "examples"
START = Path(__file__).parent / "kernel_start.py"
SECONDS = 300  # at most, for a cell


def executed(path):
    """The notebook with the outputs of a run from start to end, in a kernel of this Python."""
    notebook = nbformat.read(path, as_version=4)
    ran = copy.deepcopy(notebook)
    start = f"{START.read_text(encoding='utf-8')}\nstart({sys.executable!r})\n"
    # In a dictionary of its own: it must not lend a name to the notebook.
    ran.cells.insert(0, nbformat.v4.new_code_cell(f"exec({start!r}, {{}})"))
    nbclient.NotebookClient(
        ran,
        timeout=SECONDS,
        kernel_name="python3",
        resources={"metadata": {"path": str(EXAMPLES)}},
        record_timing=False,
        extra_arguments=["--IPKernelApp.capture_fd_output=False"],  # the JVM's output is none of a cell
    ).execute()
    for cell in ran.cells:
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                output.data["image/png"] = small(output.data["image/png"])
    notebook.cells = nbformat.from_dict(taken_over(notebook.cells, ran.cells[1:]))
    return notebook


def small(picture):
    """A PNG of few colours, as plots have, in a third of the bytes; without the version of matplotlib."""
    drawn = Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB")
    stored = io.BytesIO()
    drawn.quantize(64, dither=Image.Dither.NONE).save(stored, "PNG", optimize=True)
    return base64.b64encode(stored.getvalue()).decode()


def write(notebook, path):
    nbformat.validate(notebook)
    path.write_text(f"{nbformat.writes(notebook).rstrip()}\n", encoding="utf-8")


def main():
    names = sorted(path.stem for path in EXAMPLES.glob("*.ipynb"))
    parser = argparse.ArgumentParser(description="Run the notebooks and write their outputs into them.")
    parser.add_argument("names", nargs="*", default=names, help=f"all of {', '.join(names)} by default")
    for name in parser.parse_args().names:
        path = EXAMPLES / f"{name}.ipynb"
        write(executed(path), path)
        print(f"{path.name}: {path.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
