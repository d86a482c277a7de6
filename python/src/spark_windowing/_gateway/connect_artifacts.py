"""The jar and the Python files of this package, added to the session of a Spark Connect client."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from spark_windowing._gateway.jar import jar_path
from spark_windowing._version import __version__

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FUNCTION = "spark_windowing_recorded_calls"
SOURCE = "dev.sparkwindowing.connect.WindowsOfSession"

_PACKAGE = Path(__file__).resolve().parents[1]


def add_windows(spark: SparkSession) -> None:
    """Add windows to a session of a server without plugin; other sessions of the server are not touched.

    The jar brings the table function that takes recorded calls. The Python files are for functions of windows
    that name this package, as ``sw.Tagged``: workers of the server may not have it.
    """
    spark.addArtifact(jar_path(spark.version))
    with TemporaryDirectory() as folder:
        package = Path(folder) / f"spark_windowing-{__version__}.zip"
        _zip_package(package)
        before = list(sys.path)
        try:
            spark.addArtifact(str(package), pyfile=True)
        finally:
            sys.path[:] = before  # PySpark adds the file here too, where the package is
    _ = spark.read.format(SOURCE).load().schema


def _zip_package(to: Path) -> None:
    """Write the Python files, the same bytes each time: a server takes a file again if it is the same."""
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as package:
        for file in sorted(_PACKAGE.rglob("*.py")):
            name = zipfile.ZipInfo(f"{_PACKAGE.name}/{file.relative_to(_PACKAGE).as_posix()}")
            name.external_attr = 0o644 << 16
            package.writestr(name, file.read_bytes(), zipfile.ZIP_DEFLATED)
