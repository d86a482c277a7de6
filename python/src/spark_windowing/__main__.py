"""Command line, ``python -m spark_windowing``: ``doctor`` and ``jar-path``."""

from __future__ import annotations

import sys

from spark_windowing._gateway.doctor import doctor_of_shell
from spark_windowing._gateway.errors import SparkWindowingError
from spark_windowing._gateway.jar import jar_path

_USAGE = """usage: python -m spark_windowing doctor            check the installation in a Spark session,
                                                   or the server in SPARK_REMOTE
       python -m spark_windowing jar-path [SPARK]  print the path of the jar, for spark-submit --jars;
                                                   SPARK: its version, by default that of PySpark"""


def main(arguments: list[str]) -> int:
    """Run a command; return 0 for success, 1 for a problem, 2 for wrong arguments."""
    match arguments:
        case ["doctor"]:
            return _doctor()
        case ["jar-path"]:
            return _jar_path(None)
        case ["jar-path", spark]:
            return _jar_path(spark)
        case _:
            sys.stderr.write(f"{_USAGE}\n")
            return 2


def _jar_path(spark: str | None) -> int:
    try:
        sys.stdout.write(f"{jar_path(spark)}\n")
    except SparkWindowingError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _doctor() -> int:
    report = doctor_of_shell()
    sys.stdout.write(f"{report!r}\n")
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
