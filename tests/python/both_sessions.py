"""Where a session of Spark Connect and a classic one differ."""

from __future__ import annotations

from pyspark.sql import functions as F
from pyspark.sql.utils import is_remote

import spark_windowing as sw
from spark_windowing._streams.joined import JoinedStreams, JoinedWindows
from spark_windowing._streams.keyed import KeyedStream


def ended(declared):
    """End a declaration by Spark Connect, where Scala refuses it at its end; in a classic session leave it."""
    if not is_remote():
        return declared
    if isinstance(declared, JoinedStreams):
        declared = declared.window(sw.TumblingEventTimeWindows.of("10 seconds"))
    if isinstance(declared, JoinedWindows):
        return declared.inner()
    if isinstance(declared, KeyedStream):
        declared = declared.count_window(1)
    return declared.aggregate(F.count("*").alias("n"))


def another(spark):
    """Another session of the same application, or of the same server."""
    return spark.cloneSession() if is_remote() else spark.newSession()


def failed_task():
    """The class of the error of a query whose Scala code fails in a task."""
    if is_remote():
        from pyspark.errors import PySparkException

        return PySparkException
    from py4j.protocol import Py4JJavaError

    return Py4JJavaError


def lines_of(error):
    """The lines of an error, without the one with the SQLSTATE that a server adds."""
    return str(error).partition("SQLSTATE:")[0].strip().splitlines()
