"""``python -m spark_windowing doctor``: check the installation in a small Spark session."""

from __future__ import annotations

import sys

from spark_windowing._doctor import doctor

_USAGE = "usage: python -m spark_windowing doctor"


def main(arguments: list[str]) -> int:
    """Print the report; return 0 if nothing is wrong, 1 if something is, 2 for a wrong call."""
    if arguments != ["doctor"]:
        sys.stderr.write(f"{_USAGE}\n")
        return 2
    report = doctor()
    if report.ok:
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
        spark = builder.getOrCreate()
        try:
            report = doctor(spark)
        finally:
            spark.stop()
    sys.stdout.write(f"{report!r}\n")
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
