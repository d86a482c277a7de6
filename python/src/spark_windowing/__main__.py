"""Command line, ``python -m spark_windowing``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from spark_windowing._checkpoints.rescale import rescale
from spark_windowing._gateway.doctor import doctor_of_shell
from spark_windowing._gateway.errors import SparkWindowingError
from spark_windowing._gateway.jar import jar_path
from spark_windowing._gateway.pipeline_options import pipeline_options
from spark_windowing._gateway.setup import configure

if TYPE_CHECKING:
    from collections.abc import Callable

_USAGE = """usage: python -m spark_windowing doctor            check the installation in a Spark session,
                                                   or the server in SPARK_REMOTE
       python -m spark_windowing jar-path [SPARK]  print the path of the jar, for spark-submit --jars;
                                                   SPARK: its version, by default that of PySpark
       python -m spark_windowing pipeline-options [EXTENSION ..]
                                                   print the options with which spark-pipelines starts a
                                                   server with windows, and with other extensions of Spark
       python -m spark_windowing rescale CHECKPOINT NEW --partitions N
                                                   write the checkpoint of a stopped query anew, with N
                                                   partitions of its state, in a new Spark session"""


def main(arguments: list[str]) -> int:
    """Run a command; return 0 for success, 1 for a problem, 2 for wrong arguments."""
    match arguments:
        case ["doctor"]:
            return _doctor()
        case ["jar-path"]:
            return _printed(jar_path)
        case ["jar-path", spark]:
            return _printed(lambda: jar_path(spark))
        case ["pipeline-options", *extensions]:
            return _printed(lambda: " ".join(pipeline_options(*extensions)))
        case ["rescale", checkpoint, to, "--partitions", partitions] if partitions.isdecimal():
            return _rescale(checkpoint, to, int(partitions))
        case _:
            sys.stderr.write(f"{_USAGE}\n")
            return 2


def _printed(line: Callable[[], str]) -> int:
    try:
        sys.stdout.write(f"{line()}\n")
    except SparkWindowingError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _rescale(checkpoint: str, to: str, partitions: int) -> int:
    from pyspark.sql import SparkSession

    spark = configure(SparkSession.builder).getOrCreate()
    try:
        for operator in rescale(spark, checkpoint, to, partitions):
            sys.stdout.write(
                f"operator {operator.operator_id}: {operator.before} partitions, now {operator.partitions}; "
                f"{operator.rows:,} rows of {operator.size:,} bytes, the same in both\n"
            )
    except (ValueError, SparkWindowingError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    finally:
        spark.stop()
    return 0


def _doctor() -> int:
    report = doctor_of_shell()
    sys.stdout.write(f"{report!r}\n")
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
