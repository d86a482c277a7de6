"""Check of Spark's Python workers: their interpreter and its packages."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from spark_windowing._gateway.errors import SparkWindowingError
from spark_windowing._gateway.spark_session import is_connect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa
    from pyspark.sql import SparkSession

_PACKAGES = '"pandas>=2.2,<3" "pyarrow>=18"'
_SERVER = "on the machine of the server, before it is started: export PYSPARK_PYTHON=/path/to/python"
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
    if is_connect(spark):
        asked = (str(spark.session_id), "the server's python3")  # type: ignore[attr-defined]
    else:
        context = spark.sparkContext
        asked = (str(context.applicationId), str(context.pythonExec))
    if asked not in _checked:
        _checked[asked] = _check(spark, asked[1])
    return _checked[asked]


def _check(spark: SparkSession, python: str) -> str:
    setting = _SERVER if is_connect(spark) else _setting()
    here = Worker(*_asked()())
    if here.wrong:
        raise SparkWindowingError(
            f"This Python, {here.executable}, cannot call Python functions of windows: {here.wrong}",
            f"{here.executable} -m pip install {_packages(here.wrong)}",
        )
    try:
        found = _of_server(spark) if is_connect(spark) else _of_worker(spark)
    except Exception as error:  # noqa: BLE001  (whatever it is, the workers do not run)
        raise SparkWindowingError(*_unstarted(python, str(error), setting)) from None
    worker = Worker(*found)
    if worker.wrong:
        raise SparkWindowingError(
            f"Spark's Python workers run {worker.executable}, which cannot call Python functions of "
            f"windows: {worker.wrong}",
            f"before the session starts: {setting}; or on every machine: "
            f"{worker.executable} -m pip install {_packages(worker.wrong)}",
        )
    return f"{worker.executable}, Python {worker.version}, {worker.packages}"


def _packages(wrong: str) -> str:
    """Return the packages to install. Python 3.12 has `distutils` only with `setuptools`."""
    return f'{_PACKAGES} setuptools "numpy>=2"' if "distutils" in wrong else _PACKAGES


def _of_worker(spark: SparkSession) -> Any:
    (found,) = spark.sparkContext.parallelize([0], 1).map(_asked()).collect()
    return found


def _of_server(spark: SparkSession) -> Any:
    """Ask by Arrow: without it nothing runs in a worker of a server."""
    ask = _asked()

    def rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for _ in batches:
            names = ("executable", "version", "packages", "wrong")
            yield pa.RecordBatch.from_pydict({n: [text] for n, text in zip(names, ask(), strict=True)})

    schema = "executable string, version string, packages string, wrong string"
    (found,) = spark.range(0, 1, 1, 1).mapInArrow(rows, schema).collect()
    return found


def _unstarted(python: str, text: str, setting: str) -> tuple[str, str]:
    """Return problem and remedy of workers that do not start."""
    if "PYTHON_VERSION_MISMATCH" in text or "different version" in text:
        version = ".".join(map(str, sys.version_info[:2]))
        problem = f"Spark's Python workers run {python}, which is not Python {version} as this process is."
    else:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        said = next((line for line in lines if "Cannot run program" in line or "Error" in line), text[:200])
        problem = f"Spark's Python workers, {python}, do not run: {said}"
    return problem, f"before the session starts: {setting}"


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
                text = str(error).partition("] ")[2] or str(error)
                if text not in wrong:
                    wrong.append(text)
        found = []
        for name in ("pandas", "pyarrow"):
            module = sys.modules.get(name)
            if module is not None:
                found.append(f"{name} {module.__version__}")
        version = ".".join(map(str, sys.version_info[:2]))
        return sys.executable, version, ", ".join(found), " ".join(wrong)

    return ask
