"""The bundled jar."""

from __future__ import annotations

from pathlib import Path

from spark_windowing._gateway.errors import SparkWindowingError
from spark_windowing._version import __version__

PREFIX = "spark-windowing-spark"
NAME = f"{PREFIX}4.1_2.13-{__version__}.jar"

_FOLDER = Path(__file__).resolve().parents[1] / "jars"


def jar_path() -> str:
    """Return the path of the bundled jar, for ``spark.jars`` or ``spark-submit --jars``.

    Only sessions that need the jar from their start need the path; in a running session, first use adds the
    jar.

    Returns
    -------
    str
        An absolute path.

    Raises
    ------
    SparkWindowingError
        If the package contains no jar, or one of another version.

    Examples
    --------
    >>> import spark_windowing as sw
    >>> sw.jar_path()  # doctest: +ELLIPSIS
    '...spark-windowing-spark4.1_2.13-...jar'
    """
    jar = _FOLDER / NAME
    if jar.is_file():
        return str(jar)
    others = ", ".join(sorted(path.name for path in _FOLDER.glob("*.jar"))) or "no jar at all"
    raise SparkWindowingError(
        f"The package spark_windowing should carry {NAME}; in {_FOLDER} there is {others}.",
        "pip install --force-reinstall spark-windowing   (in a checkout: pip install -e ./python)",
    )
