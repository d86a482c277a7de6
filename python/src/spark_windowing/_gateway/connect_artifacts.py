"""The jar of this package, added to the session of a Spark Connect client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_windowing._gateway.jar import jar_path

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FUNCTION = "spark_windowing_message"
SOURCE = "dev.sparkwindowing.connect.WindowsOfSession"


def add_windows(spark: SparkSession) -> None:
    """Add windows to a session of a server without plugin; other sessions of the server are not touched.

    The jar brings the table function that takes messages.
    """
    spark.addArtifact(jar_path(spark.version))
    _ = spark.read.format(SOURCE).load().schema
