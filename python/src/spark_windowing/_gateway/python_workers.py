"""Check of Spark's Python workers: their interpreter and its packages."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from spark_windowing._gateway.errors import SparkWindowingError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

_PACKAGES = '"pandas>=2.2,<3" "pyarrow>=18"'
_checked: dict[tuple[str, str], str] = {}


class Worker(NamedTuple):
    """Interpreter of a worker.

    Attributes
    ----------
    executable
        Its path.
    version
        Major and minor version.
    packages
        pandas and PyArrow with their versions.
    wrong
        PySpark's message about missing or too old packages; empty if there are none.
    """

    executable: str
    version: str
    packages: str
    wrong: str


def check_workers(spark: SparkSession) -> str:
    """Check a Python worker for the needs of Python functions, once per application and interpreter.

    Returns
    -------
    str
        The interpreter and its packages.

    Raises
    ------
    SparkWindowingError
        If the worker does not start, has another Python version, or lacks pandas or PyArrow.
    """
    context = spark.sparkContext
    asked = (str(context.applicationId), str(context.pythonExec))
    if asked not in _checked:
        _checked[asked] = _check(spark, asked[1])
    return _checked[asked]


def _check(spark: SparkSession, python: str) -> str:
    here = Worker(*_asked()())
    if here.wrong:
        raise SparkWindowingError(
            f"This Python, {here.executable}, cannot call Python functions of windows: {here.wrong}",
            f"{here.executable} -m pip install {_PACKAGES}",
        )
    try:
        (found,) = spark.sparkContext.parallelize([0], 1).map(_asked()).collect()
    except Exception as error:  # noqa: BLE001  (whatever it is, the workers do not run)
        raise SparkWindowingError(*_unstarted(python, str(error))) from None
    worker = Worker(*found)
    if worker.wrong:
        raise SparkWindowingError(
            f"Spark's Python workers run {worker.executable}, which cannot call Python functions of "
            f"windows: {worker.wrong}",
            f"{worker.executable} -m pip install {_PACKAGES}   (on every machine; or another Python for the "
            f"workers, before the session starts: {_setting()})",
        )
    return f"{worker.executable}, Python {worker.version}, {worker.packages}"


def _unstarted(python: str, text: str) -> tuple[str, str]:
    """Return problem and remedy of workers that do not start."""
    if "PYTHON_VERSION_MISMATCH" in text or "different version" in text:
        version = ".".join(map(str, sys.version_info[:2]))
        problem = f"Spark's Python workers run {python}, which is not Python {version} as this process is."
    else:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        said = next((line for line in lines if "Cannot run program" in line or "Error" in line), text[:200])
        problem = f"Spark's Python workers, {python}, do not run: {said}"
    return problem, f"before the session starts: {_setting()}"


def _setting() -> str:
    return (
        f'os.environ["PYSPARK_PYTHON"] = "{sys.executable}"   '
        f"(spark-submit: --conf spark.pyspark.python={sys.executable})"
    )


def _asked() -> Callable[..., Any]:
    """Make the function that a worker runs, pickled by value, as workers may not have this package."""

    def ask(_: object = None) -> Any:
        import sys

        from pyspark.sql.pandas.utils import require_minimum_pandas_version, require_minimum_pyarrow_version

        wrong = []
        for require in (require_minimum_pandas_version, require_minimum_pyarrow_version):
            try:
                require()
            except ImportError as error:  # noqa: PERF203
                wrong.append(str(error).partition("] ")[2] or str(error))
        found = []
        for name in ("pandas", "pyarrow"):
            module = sys.modules.get(name)
            if module is not None:
                found.append(f"{name} {module.__version__}")
        version = ".".join(map(str, sys.version_info[:2]))
        return sys.executable, version, ", ".join(found), " ".join(wrong)

    return ask
