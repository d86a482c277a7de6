"""A session with the tables that there are for its Spark, and the source for Kafka; the build fetches their jars."""

from pathlib import Path

import pyspark
from pyspark.sql import SparkSession

SERVICES = Path(__file__).parents[2] / "target" / "services"
LINE = ".".join(pyspark.__version__.split(".")[:2])
DELTA = "io.delta.sql.DeltaSparkSessionExtension"
CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
ICEBERG = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"


def _file(name):
    """The list of jars of this Spark: that without a line is for 4.2 or, for PostgreSQL, for all."""
    everywhere = name == "postgres" or (name == "spark-kafka" and LINE == "4.3")
    return SERVICES / (
        f"{name}.jars" if LINE == "4.2" or everywhere else f"{name}-{LINE.replace('.', '-')}.jars"
    )


def has(name):
    return _file(name).exists()


def jars(*names):
    return ",".join(jar for name in names for jar in _file(name).read_text(encoding="utf-8").split())


STORES = [name for name in ("delta", "iceberg", "postgres") if has(name)]


def settings(folder, stores=STORES):
    """Tables in `folder`; the tables of Delta in Spark's catalog, those of Iceberg in `lake`."""
    found = {
        "spark.jars": jars(*stores, "spark-kafka"),
        "spark.databricks.delta.snapshotPartitions": "1",  # instead of 50 tasks that read what a table is made of
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "ERROR",
        # For a few rows compiling, and planning again behind each stage, takes longer than they do.
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    extensions = []
    if "delta" in stores:
        extensions.append(DELTA)
        found["spark.sql.catalog.spark_catalog"] = CATALOG
    if "iceberg" in stores:
        extensions.append(ICEBERG)
        found["spark.sql.catalog.lake"] = "org.apache.iceberg.spark.SparkCatalog"
        found["spark.sql.catalog.lake.type"] = "hadoop"
        found["spark.sql.catalog.lake.warehouse"] = str(folder / "lake")
    return {**found, "spark.sql.extensions": ",".join(extensions)} if extensions else found


def session(folder, stores=STORES):
    """Two tasks at once."""
    builder = SparkSession.builder.master("local[2]").appName("upserts")
    for name, value in settings(folder, stores).items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
