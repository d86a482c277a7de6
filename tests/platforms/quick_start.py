"""The quick-start notebook as a program, and the rows that it must print."""

import json
import sys
from pathlib import Path

from commands import output

NOTEBOOK = Path(__file__).parents[2] / "examples" / "1_quick_start.ipynb"
MASTER = '.master("local[2]")'
STOP = "spark.stop()"
RUNS_ON = 'print("runs on", spark.version, spark._jvm.System.getProperty("java.version"), spark.sparkContext.master)'
ROWS = """\
|ann |2026-01-01 10:00:00|2026-01-01 10:01:00|on_time|2     |7    |
|bob |2026-01-01 10:00:00|2026-01-01 10:01:00|on_time|2     |9    |
|ann |2026-01-01 10:00:00|2026-01-01 10:01:00|late   |3     |8    |
|ann |2026-01-01 10:01:00|2026-01-01 10:02:00|on_time|1     |5    |
"""


def program(master=None):
    """The code of the notebook: with its own master, or without one, for spark-submit; it prints what it runs on."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    assert code.count(MASTER) == code.count(STOP) == 1, (
        f"{NOTEBOOK} names no master, or does not end its session"
    )
    return code.replace(MASTER, MASTER if master is None else master).replace(STOP, f"{RUNS_ON}\n{STOP}")


def check(printed):
    """Compare what the program printed; the versions of Spark and Java, and the master."""
    assert ROWS in printed, printed
    (line,) = [line for line in printed.splitlines() if line.startswith("runs on ")]
    return line.removeprefix("runs on ").split()


def run(folder, env):
    """Run it with this Python, and say where it ran."""
    (folder / "quick_start.py").write_text(program(), encoding="utf-8")
    spark, java, _ = check(output(sys.executable, folder / "quick_start.py", env=env, cwd=folder))
    return f"The quick start ran on Spark {spark} with Java {java}."
