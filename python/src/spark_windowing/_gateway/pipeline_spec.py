"""Check of the spec of a Spark Declarative Pipeline in the current folder."""

from __future__ import annotations

import re
from pathlib import Path

from spark_windowing._gateway.connect_way import SETTING
from spark_windowing._gateway.errors import SparkWindowingError

START = "spark-pipelines run $(python -m spark_windowing pipeline-options)"

_NAMES = ("spark-pipeline.yml", "spark-pipeline.yaml")
_STATIC = {
    "spark.jars",
    "spark.jars.packages",
    "spark.sql.extensions",
    "spark.driver.extraClassPath",
    SETTING,
}
_ENTRY = re.compile(r"""^\s+["']?(spark\.[\w.]+)["']?\s*:""", re.MULTILINE)


def spec_here() -> Path | None:
    """Return the spec of the pipeline in the current folder, None if there is none."""
    return next((path for name in _NAMES if (path := Path(name)).is_file()), None)


def check_spec(spec: Path) -> str:
    """Tell how the pipeline is started with windows.

    Raises
    ------
    SparkWindowingError
        If the spec has settings that a server takes at its start only.
    """
    names = _ENTRY.findall(spec.read_text(encoding="utf-8"))
    if fixed := [name for name in names if name in _STATIC]:
        raise SparkWindowingError(
            f"{spec} sets {', '.join(fixed)}, which a server takes at its start only",
            f"take it out, and name it on the command line: {START}",
        )
    return f"{spec}, with windows by {START}"
