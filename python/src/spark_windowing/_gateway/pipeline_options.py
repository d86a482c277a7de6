"""Options with which ``spark-pipelines`` starts a server that has windows."""

from __future__ import annotations

from spark_windowing._gateway.compatibility import LINES
from spark_windowing._gateway.connect_way import PLUGIN, SETTING
from spark_windowing._gateway.errors import SparkWindowingError
from spark_windowing._gateway.jar import jar_path
from spark_windowing._gateway.setup import EXTENSIONS
from spark_windowing._gateway.spark_session import require_pyspark


def pipeline_options(*extensions: str) -> list[str]:
    """Return the options, for the command line of ``spark-pipelines``.

    The jar is on the class path, since the server looks for the extensions before it reads ``spark.jars``.

    Parameters
    ----------
    extensions
        Classes of other extensions of Spark, such as that of Delta Lake.

    Raises
    ------
    SparkWindowingError
        If PySpark is not installed or has no pipelines, or there is no jar for it.
    """
    require_pyspark()
    from pyspark import __version__ as version

    if tuple(map(int, version.split(".")[:2])) < LINES[-1].first:
        raise SparkWindowingError(
            f"PySpark {version} has no Declarative Pipelines: they came with Spark {LINES[-1].version}.",
            f'pip install "pyspark[pipelines]>={LINES[-1].version}"',
        )
    settings = {"spark.sql.extensions": ",".join([*extensions, EXTENSIONS]), SETTING: PLUGIN}
    options = ["--driver-class-path", jar_path()]
    for name, value in settings.items():
        options += ["--conf", f"{name}={value}"]
    return options
