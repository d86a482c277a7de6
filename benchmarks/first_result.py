"""Size of the wheel, time of the import, and time from the start of Python to the first result.

first_result.py WHEEL [--rounds N]: each time is the median of N rounds, each in a Python of its own. The
program is the quick-start notebook up to its first result.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from zipfile import ZipFile

NOTEBOOK = Path(__file__).parents[1] / "examples" / "1_quick_start.ipynb"
IMPORT = """
import time
start = time.perf_counter()
import spark_windowing
print(time.perf_counter() - start)
"""
MARK = "reached"
STEPS = {  # what the cell that ends the step has, in order
    "the imports": "import spark_windowing as sw",
    "the session": "builder.getOrCreate()",
    "the declaration": "sw.key_by(",
    "the first result": "by_minute.show(",
}


def program() -> Iterator[str]:
    """Yield the code of the notebook up to the first result, with a line behind each step that says when."""
    steps = dict(STEPS)
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    yield "import time as clock"
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code":
            continue
        yield source
        for step in [step for step, sign in steps.items() if sign in source]:
            del steps[step]
            yield f"print({MARK!r}, clock.time(), {step!r}, sep='|', flush=True)"
        if not steps:
            return
    raise SystemExit(f"{NOTEBOOK} has no cell with {', '.join(steps.values())}")


def output(code: str) -> str:
    """Run a program in a Python of its own."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


def first_result() -> dict[str, float]:
    """Seconds from the start of Python to each step."""
    code = "\n".join(program())
    start = time.time()
    marks = [line.split("|") for line in output(code).splitlines() if line.startswith(f"{MARK}|")]
    return {step: float(moment) - start for _, moment, step in marks}


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description="Sizes and times of a first use.")
    options.add_argument("wheel", type=Path)
    options.add_argument("--rounds", type=int, default=5)
    given = options.parse_args()
    print(f"{'size of the wheel':<48}{given.wheel.stat().st_size / 1e6:8.1f} MB")
    with ZipFile(given.wheel) as wheel:
        for member in wheel.infolist():
            if member.filename.endswith(".jar"):
                name = Path(member.filename).name.rpartition("-")[0]
                print(f"{f'  {name}':<48}{member.file_size / 1e6:8.1f} MB")
    imports = [float(output(IMPORT)) for _ in range(given.rounds)]
    print(f"{'import spark_windowing':<48}{median(imports):8.2f} s")
    rounds = [first_result() for _ in range(given.rounds)]
    for step in STEPS:
        print(
            f"{f'start of Python to {step}':<48}{median(found[step] for found in rounds):8.2f} s", flush=True
        )


if __name__ == "__main__":
    main()
