"""Delta table of an upsert: created, checked or refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_windowing._gateway.classic import find_class
from spark_windowing._gateway.errors import SparkWindowingError
from spark_windowing._results.changes import quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PANE = "pane"
_EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"
_SETTINGS = {
    "spark.sql.extensions": _EXTENSION,
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
_PACKAGES = {
    "3.5": "io.delta:delta-spark_2.12:3.3.2",
    **{line: f"io.delta:delta-spark_{line}_2.13:4.4.0" for line in ("4.0", "4.1", "4.2")},
}  # none for 4.3 yet
_LINKAGE = (
    "NoSuchMethodError",
    "NoClassDefFoundError",
    "IncompatibleClassChangeError",
    "AbstractMethodError",
)


def make_table(table: str, result: DataFrame) -> None:
    """Create the table with the columns of the result if it does not exist; refuse other formats."""
    spark = result.sparkSession
    try:
        spark.sql(f"CREATE TABLE IF NOT EXISTS {table} ({result._jdf.schema().toDDL()}) USING delta")
        row = spark.sql(f"DESCRIBE DETAIL {table}").select("format").first()
    except Exception as error:
        refuse_without_delta(spark, error)
        raise
    if row is not None and row.format != "delta":
        raise ValueError(f"upsert_to_delta writes Delta tables, and {table} is in format {row.format}")


def columns_to_write(table: str, result: DataFrame) -> list[str]:
    """Return the columns of the result in the table, which must have all except the pane."""
    spark = result.sparkSession
    fold = str if spark.conf.get("spark.sql.caseSensitive") == "true" else str.lower
    there = {fold(name) for name in spark.table(table).columns}
    missing = [field for field in result.schema if fold(field.name) not in there and field.name != PANE]
    if missing:
        types = ", ".join(f"{quoted(field.name)} {field.dataType.simpleString()}" for field in missing)
        raise ValueError(f"the table has no such columns: ALTER TABLE {table} ADD COLUMNS ({types})")
    return [name for name in result.columns if fold(name) in there]


def refuse_without_delta(spark: SparkSession, error: Exception) -> None:
    """Raise an error for a missing or wrong Delta Lake, if that explains a failed statement."""
    unset = [name for name, value in _SETTINGS.items() if value not in str(spark.conf.get(name, ""))]
    if find_class(spark, _EXTENSION) is None:
        raise _refusal(spark, "The session has no Delta Lake: its jars are not there.") from error
    if unset:
        raise _refusal(
            spark, f"The session has the jars of Delta Lake, but not its {' and '.join(unset)}."
        ) from error
    if any(name in str(error) for name in _LINKAGE):
        raise _refusal(
            spark, f"The Delta Lake of the session was built for another Spark than {spark.version}."
        ) from error


def _refusal(spark: SparkSession, problem: str) -> SparkWindowingError:
    line = next((line for line in _PACKAGES if spark.version.startswith(f"{line}.")), max(_PACKAGES))
    settings = {"spark.jars.packages": _PACKAGES[line], **_SETTINGS}
    calls = [f'.config("{name}", "{value}")' for name, value in settings.items()]
    return SparkWindowingError(
        problem, f"on Spark {line}, before the session starts: SparkSession.builder{''.join(calls)}"
    )
