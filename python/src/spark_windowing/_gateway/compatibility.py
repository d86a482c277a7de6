"""Versions of Spark, Scala and the jar that work together; each of Spark's lines has a jar of its own."""

from __future__ import annotations

import re
from typing import NamedTuple

from spark_windowing._gateway.errors import SparkWindowingError
from spark_windowing._version import __version__

SPARK_RANGE = "3.5 to 4.3"
REQUIREMENT = "pyspark>=3.5,<4.4"


class Line(NamedTuple):
    """Versions of Spark that run the same jar, named after the first of them."""

    first: tuple[int, int]
    """The first version."""
    below: tuple[int, int]
    """The version after the last one."""
    scala: str
    """The version of Scala that Spark is built with."""
    java: str = "17 or later"
    """The versions of Java that Spark runs on, as text."""

    @property
    def name(self) -> str:
        """Name of the line in the names of jars."""
        return f"{self.version}_{self.scala}"

    @property
    def version(self) -> str:
        """Name of the first version."""
        return f"{self.first[0]}.{self.first[1]}"

    @property
    def versions(self) -> str:
        """First and last version, as text."""
        first, last = self.version, f"{self.below[0]}.{self.below[1] - 1}"
        return first if first == last else f"{first} to {last}"


LINES = (
    Line((3, 5), (3, 6), "2.12", java="8, 11 or 17"),
    Line((4, 0), (4, 1), "2.13"),
    Line((4, 1), (4, 4), "2.13"),
)


def line_of(version: str) -> Line:
    """Return the line of the Spark that runs or is installed; refuse one that no bundled jar supports."""
    if line := _find(version):
        return line
    problem = (
        f"spark-windowing {__version__} needs Spark {SPARK_RANGE}, this is Spark {version}."
        if _number(version) < LINES[-1].below
        else f"spark-windowing {__version__} does not support Spark {version} yet; "
        f"it works with Spark {SPARK_RANGE}."
    )
    raise SparkWindowingError(problem, f'pip install "{REQUIREMENT}"')


def line_asked_for(version: str) -> Line:
    """Return the line of a Spark that the caller named; refuse one that no bundled jar supports."""
    if line := _find(version):
        return line
    *others, last = (line.versions for line in LINES)
    raise SparkWindowingError(
        f"There is no jar for Spark {version!r}: spark-windowing {__version__} has jars for Spark "
        f"{', '.join(others)} and {last}.",
        "name one of these by two numbers or more: python -m spark_windowing jar-path 4.2   "
        '(sw.jar_path("4.2"))',
    )


def check_scala(version: str, line: Line) -> None:
    """Refuse a Spark that was built with another Scala than the bundled jar for its line."""
    if not version.startswith(f"{line.scala}."):
        raise SparkWindowingError(
            f"This Spark was built with Scala {version}; the bundled jar needs Scala {line.scala}.",
            f'use a Spark built with Scala {line.scala}, as PyPI has it: pip install "{REQUIREMENT}"; or '
            f"use the jar for Scala {_binary(version)}, if there is one: "
            f"{_packages(f'{line.version}_{_binary(version)}')}",
        )


def check_jar(version: str) -> None:
    """Refuse classes in the JVM from a jar of another version."""
    if version != __version__:
        raise SparkWindowingError(
            f"The JVM holds the classes of spark-windowing {version}, this package is {__version__}. "
            "A JVM keeps the classes it has loaded, even after spark.stop().",
            "restart the kernel; if that does not help, remove the old jar from spark.jars and "
            "from the class path",
        )


def check_jar_line(jar: str, spark: str, scala: str) -> None:
    """Refuse classes in the JVM from a jar for another line of Spark, or another Scala."""
    line = line_of(spark)
    right = f"{line.version}_{_binary(scala)}"
    if jar != right:
        bundled = (
            f'--jars "$(python -m spark_windowing jar-path {spark})", '
            "or without --jars, as the package adds its own jar"
        )
        raise SparkWindowingError(
            f"The JVM holds the classes of spark-windowing-spark{jar}, which do not run on Spark {spark} "
            f"with Scala {_binary(scala)}: the jar for it is spark-windowing-spark{right}.",
            f"restart the kernel with the right jar: {bundled if right == line.name else _packages(right)}",
        )


def old_connect(whose: str) -> SparkWindowingError:
    """Return the refusal of Spark Connect before Spark 4."""
    return SparkWindowingError(
        f"{whose}: its plugins differ from those of Spark 4, and spark-windowing has none for it.",
        "use Spark 4 on both sides, or a classic session: "
        'SparkSession.builder.master("local[*]").getOrCreate(), without .remote(..) and without SPARK_REMOTE',
    )


def _find(version: str) -> Line | None:
    return next((line for line in LINES if line.first <= _number(version) < line.below), None)


def _number(version: str) -> tuple[int, int]:
    found = re.match(r"(\d+)\.(\d+)", version)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _packages(line: str) -> str:
    return f"--packages dev.sparkwindowing:spark-windowing-spark{line}:{__version__}"


def _binary(scala: str) -> str:
    return ".".join(scala.split(".")[:2])
