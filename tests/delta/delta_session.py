"""A session with Delta Lake and the source for Kafka, whose jars the build fetches."""

from pathlib import Path

from pyspark.sql import SparkSession

SERVICES = Path(__file__).parents[2] / "target" / "services"
EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"
CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"


def jars(*names):
    return ",".join(
        jar for name in names for jar in (SERVICES / f"{name}.jars").read_text(encoding="utf-8").split()
    )


def session(folder):
    """Two tasks at once, tables in `folder`; one task instead of 50 reads what a table is made of."""
    builder = SparkSession.builder.master("local[2]").appName("delta")
    for name, value in {
        "spark.jars": jars("delta", "spark-kafka"),
        "spark.sql.extensions": EXTENSION,
        "spark.sql.catalog.spark_catalog": CATALOG,
        "spark.databricks.delta.snapshotPartitions": "1",
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
    }.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
