"""Settings of a session that make small micro-batches longer than they must be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_windowing._gateway.setup import LOCAL_FILES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PARTITIONS = "spark.sql.shuffle.partitions"
_MANAGER = "spark.sql.streaming.checkpointFileManagerClass"


def micro_batches(spark: SparkSession) -> str:
    """Tell state partitions and cores, and the settings that would shorten micro-batches.

    It is advice and no problem: a session is fine without. The figures are in ``docs/performance.md``.
    """
    partitions = int(spark.conf.get(_PARTITIONS, "200") or 200)
    cores = spark.sparkContext.defaultParallelism
    told = [f"{partitions} state partitions on {cores} cores"]
    if partitions > cores:
        told.append(
            f'shorter with spark.conf.set("{_PARTITIONS}", "{cores}") before the first start of a query'
        )
    name, files = LOCAL_FILES
    conf = spark.sparkContext.getConf()
    if conf.get("spark.master", "").startswith("local") and not (
        conf.get(name, "") == files or spark.conf.get(_MANAGER, "")
    ):
        told.append("on a local disk shorter with sw.configure(builder) before the session starts")
    return "; ".join(told)
