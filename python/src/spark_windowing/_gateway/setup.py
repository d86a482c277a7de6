"""Set-up of a session: its settings by `configure`, its gateway at first use or by `attach`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from spark_windowing._gateway.classic import open_classic
from spark_windowing._gateway.connect import open_connect
from spark_windowing._gateway.connect_way import PLUGIN, SETTING
from spark_windowing._gateway.jar import jar_path
from spark_windowing._gateway.pipelines import in_pipeline, open_pipeline
from spark_windowing._gateway.spark_session import active_session, checked, is_connect, session_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from spark_windowing._gateway.gateway import Gateway

EXTENSIONS = "dev.sparkwindowing.SparkWindowingExtensions"
LOCAL_FILES = (
    "spark.hadoop.fs.AbstractFileSystem.file.impl",
    "dev.sparkwindowing.spark.checkpoint.LocalCheckpointFs",
)


# Needs of windows in real-time mode: their own permission, no look at Spark's list of operators, in which
# they are not, the only state store of that mode, rows and watermarks that leave early, figures each second,
# and a start on what a run has left that ended within its first micro-batch, before Spark wrote down that
# there was one.
REAL_TIME = {
    "spark.windowing.realTime": "true",
    "spark.windowing.realTime.watermarkInterval": "2 ms",
    "spark.sql.streaming.realTimeMode.allowlistCheck": "false",
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    "spark.shuffle.streaming.networkBufferMaxWaitTimeMs": "5",
    "spark.executor.heartbeatInterval": "1s",
    "spark.sql.streaming.verifyCheckpointDirectoryEmptyOnStart": "false",
}


def configure(builder: SparkSession.Builder, *, real_time: bool = False) -> SparkSession.Builder:
    """Add the jar and the operator to a new session.

    Clusters need it where first use is too late, as with ``spark-submit``; elsewhere the package attaches
    itself on first use. Existing values of ``spark.jars`` and ``spark.sql.extensions`` are kept.

    Checkpoints on a local disk get faster too: their files are written without a process for each
    permission (``spark.hadoop.fs.AbstractFileSystem.file.impl``, unless the builder has a value for it).
    Checkpoints on HDFS or an object store are not affected.

    With ``.remote("local[2]")`` the server of Spark Connect that starts in this process gets its plugin too.
    A builder of a server elsewhere, by ``.remote("sc://host")`` or ``SPARK_REMOTE`` of the environment, is
    left as it is: that server has its settings from its own start (``docs/setup.md``).

    Parameters
    ----------
    builder
        ``SparkSession.builder``, before ``getOrCreate()``.
    real_time
        True also sets what windows need under ``trigger(realTime=..)`` of Spark 4.3, which is experimental:
        ``spark.windowing.realTime``, the state store, short waits of watermarks and in the exchange, and
        figures each second. Values that the builder has are kept. False by default.

    Returns
    -------
    SparkSession.Builder
        The same builder.

    Raises
    ------
    SparkWindowingError
        If the package contains no jar for the installed PySpark.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> spark = sw.configure(SparkSession.builder.master("local[2]")).getOrCreate()
    """
    options: dict[str, str] = builder._options
    remote = options.get("spark.remote", os.environ.get("SPARK_REMOTE"))
    if remote is not None and "://" in remote:
        return builder  # a server has its settings from its own start
    settings = {"spark.jars": jar_path(), "spark.sql.extensions": EXTENSIONS}
    if remote is not None:
        settings[SETTING] = PLUGIN
    for name, value in settings.items():
        present = [item for item in options.get(name, "").split(",") if item and item != value]
        builder = builder.config(name, ",".join([*present, value]))
    defaults = {**dict([LOCAL_FILES]), **(REAL_TIME if real_time else {})}
    for name, value in defaults.items():
        builder = builder if name in options else builder.config(name, value)
    return builder


def attach(spark: SparkSession | None = None) -> None:
    """Add the bundled jar and the operator to a running session; idempotent.

    `key_by` calls it. Call it to attach, or fail, early.

    Parameters
    ----------
    spark
        The session, by default the active one.

    Raises
    ------
    SparkWindowingError
        If the session cannot be used: none, stopped, unsupported Spark or Scala, no jar, or classes of
        another jar version in the JVM; or a server of Spark Connect that has no plugin and takes
        no jar.

    Examples
    --------
    >>> sw.attach(spark)
    """
    open_gateway(active_session() if spark is None else spark)


def gateway_of(df: DataFrame) -> Gateway:
    """Return the gateway of a DataFrame's session."""
    return open_gateway(session_of(df))


def open_gateway(spark: SparkSession) -> Gateway:
    """Open the gateway in a session, after the checks of session, jar or server.

    Raises
    ------
    SparkWindowingError
        If the session, the jar or the server cannot be used.
    """
    spark = checked(spark)
    if not is_connect(spark):
        return open_classic(spark)
    return open_pipeline(spark) if in_pipeline(spark) else open_connect(spark)
