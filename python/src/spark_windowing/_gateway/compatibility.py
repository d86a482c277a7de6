"""Supported versions of Spark, Scala and the jar."""

from __future__ import annotations

import re

from spark_windowing._gateway.errors import SparkWindowingError
from spark_windowing._version import __version__

SCALA = "2.13"
SPARK_LINES = ((4, 1), (4, 4))  # from, below
SPARK_RANGE = "4.1 to 4.3"
REQUIREMENT = "pyspark>=4.1,<4.4"


def check_spark(version: str) -> None:
    """Refuse a Spark that the bundled jar does not support."""
    found = re.match(r"(\d+)\.(\d+)", version)
    line = (int(found[1]), int(found[2])) if found else (0, 0)
    if line < SPARK_LINES[0]:
        problem = f"spark-windowing {__version__} needs Spark {SPARK_RANGE}, this is Spark {version}."
        raise SparkWindowingError(problem, f'pip install "{REQUIREMENT}"')
    if line >= SPARK_LINES[1]:
        problem = (
            f"spark-windowing {__version__} does not support Spark {version} yet; "
            f"it works with Spark {SPARK_RANGE}."
        )
        raise SparkWindowingError(problem, f'pip install "{REQUIREMENT}"')


def check_scala(version: str) -> None:
    """Refuse a Spark that was built with another Scala than the bundled jar."""
    if not version.startswith(f"{SCALA}."):
        raise SparkWindowingError(
            f"This Spark was built with Scala {version}; the bundled jar needs Scala {SCALA}.",
            f'use a Spark built with Scala {SCALA}, as PyPI has it: pip install "{REQUIREMENT}"',
        )


def check_jar(version: str) -> None:
    """Refuse classes in the JVM from a jar of another version."""
    if version != __version__:
        raise SparkWindowingError(
            f"The JVM holds the classes of spark-windowing {version}, this package is {__version__}. "
            "A JVM keeps the classes it has loaded, also after spark.stop().",
            "restart the kernel; if that does not help, take the old jar out of spark.jars and "
            "of the class path",
        )
