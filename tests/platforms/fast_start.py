"""Options of the JVMs of tests, which run most code a few times only and are many.

fast_start.py makes an archive of the classes that Spark loads (Java's class data sharing) for the environment of this
Python, by running the quick start. A JVM starts with it in half the time.
"""

import os
import sys
import tempfile
from pathlib import Path

import quick_start

# The optimizing compiler and parallel collectors cost more than they give. Without that compiler the JVM has little room
# for code by default, and throws away what it will need again.
OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=240m"
ARCHIVE = Path(sys.prefix) / "classes.jsa"


def options():
    """The options, with the archive if there is one; a JVM for which it does not fit starts without it."""
    return f"{OPTIONS} -XX:SharedArchiveFile={ARCHIVE} -Xlog:cds=off" if ARCHIVE.exists() else OPTIONS


def main():
    environment = {
        **os.environ,
        "MPLBACKEND": "Agg",  # as the notebook draws
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_SUBMIT_OPTS": f"{OPTIONS} -XX:ArchiveClassesAtExit={ARCHIVE} -Xlog:cds=off",
    }
    with tempfile.TemporaryDirectory() as folder:
        print(quick_start.run(Path(folder), environment))


if __name__ == "__main__":
    main()
