"""The bundled jars, one for each line of Spark."""

from __future__ import annotations

from pathlib import Path

from spark_windowing._gateway.compatibility import line_asked_for, line_of
from spark_windowing._gateway.errors import SparkWindowingError
from spark_windowing._version import __version__

PREFIX = "spark-windowing-spark"
# The wheel file, as a package index may not have this version.
AGAIN = (
    f"pip install --force-reinstall spark_windowing-{__version__}-py3-none-any.whl   (the file that it came "
    "from; in a checkout: pip install -e ./python)"
)

_FOLDER = Path(__file__).resolve().parents[1] / "jars"


def jar_path(version: str | None = None) -> str:
    """Return the path of the bundled jar, for ``spark.jars`` or ``spark-submit --jars``.

    Only sessions that need the jar from their start need the path; in a running session, first use adds the
    jar.

    Parameters
    ----------
    version
        The version of the Spark that runs the jar, such as ``"4.0.4"`` or ``"4.2"``; by default that of the
        installed PySpark.

    Returns
    -------
    str
        An absolute path.

    Raises
    ------
    TypeError
        If `version` is not a string.
    SparkWindowingError
        If no bundled jar is for that version, if PySpark is not installed and no version is given, or if the
        package contains no jar, or one of another version.

    Examples
    --------
    >>> import spark_windowing as sw
    >>> sw.jar_path("4.2.0")  # doctest: +ELLIPSIS
    '...spark-windowing-spark4.1_2.13-...jar'
    >>> sw.jar_path("4.0")  # doctest: +ELLIPSIS
    '...spark-windowing-spark4.0_2.13-...jar'
    """
    if version is not None and not isinstance(version, str):
        raise TypeError(f'version must be that of a Spark, such as "4.2.0", got {version!r}')
    line = line_of(_installed_spark()) if version is None else line_asked_for(version)
    name = f"{PREFIX}{line.name}-{__version__}.jar"
    jar = _FOLDER / name
    if jar.is_file():
        return str(jar)
    others = ", ".join(sorted(path.name for path in _FOLDER.glob("*.jar"))) or "no jar at all"
    raise SparkWindowingError(
        f"The package spark_windowing should contain {name}; in {_FOLDER} there is {others}.",
        AGAIN,
    )


def _installed_spark() -> str:
    try:
        from pyspark import __version__ as version
    except ImportError:
        raise SparkWindowingError(
            "PySpark is not installed, so the version of Spark that will run the jar is not known.",
            "python -m spark_windowing jar-path 4.2   (with your version of Spark)",
        ) from None
    return str(version)
