"""Access to the SparkSession; unusable sessions are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from spark_windowing._gateway.compatibility import REQUIREMENT, line_of, old_connect
from spark_windowing._gateway.errors import SparkWindowingError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_START = "spark = SparkSession.builder.getOrCreate()"


def session_of(df: object) -> SparkSession:
    """Return the session of a DataFrame.

    Raises
    ------
    TypeError
        If `df` is no DataFrame.
    """
    require_pyspark()
    if is_connect(df) and hasattr(type(df), "sparkSession"):  # a Column has any attribute
        return cast("DataFrame", df).sparkSession
    from pyspark.sql import DataFrame

    if not isinstance(df, DataFrame):
        raise TypeError(f"df must be a DataFrame, got {type(df).__name__}")
    return df.sparkSession


def active_session() -> SparkSession:
    """Return the running session of this process.

    Raises
    ------
    SparkWindowingError
        If there is no session.
    """
    require_pyspark()
    session = running_session()
    if session is None:
        raise SparkWindowingError("No SparkSession is running.", _START)
    return session


def running_session() -> SparkSession | None:
    """Return the active session of the thread, else that of the process: a new thread has none."""
    from pyspark.sql.utils import is_remote

    if is_remote():
        from pyspark.sql.connect.session import SparkSession as ConnectSession

        known = [ConnectSession.getActiveSession(), ConnectSession._default_session]
        sessions = [session for session in known if session is not None]
        running = [session for session in sessions if not session.is_stopped]
        return cast("SparkSession | None", next(iter(running + sessions), None))
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession() or SparkSession._instantiatedSession


def checked(spark: object) -> SparkSession:
    """Return the session if the package supports it.

    Raises
    ------
    TypeError
        If `spark` is no SparkSession.
    SparkWindowingError
        If it is stopped, runs an unsupported Spark, or is a Spark Connect session of Spark 3.5.
    """
    require_pyspark()
    if is_connect(spark):
        return cast("SparkSession", _checked_connect(spark))
    from pyspark.sql import SparkSession

    if not isinstance(spark, SparkSession):
        raise TypeError(f"spark must be a SparkSession, got {type(spark).__name__}")
    refuse_stopped(spark)
    if spark.sparkContext._jsc.sc().isStopped():
        raise _stopped()
    line_of(spark.version)
    return spark


def refuse_stopped(spark: SparkSession) -> None:
    """Refuse a session that was stopped in Python, without a question to the JVM."""
    if spark.sparkContext._jsc is None:
        raise _stopped()


def _stopped() -> SparkWindowingError:
    return SparkWindowingError("The SparkSession was stopped.", _START)


def is_connect(value: object) -> bool:
    """Tell whether an object is one of Spark Connect."""
    return type(value).__module__.startswith("pyspark.sql.connect.")


def scala_of(spark: SparkSession) -> str:
    """Return the version of Scala that the session's Spark was built with."""
    return str(java_class(spark, "scala.util.Properties").versionNumberString())


def java_class(spark: SparkSession, name: str) -> Any:
    """Return a class of the session's JVM.

    With its whole name py4j looks for one class. Written as ``jvm.java.util.ArrayList``, it first looks for
    ``java`` and ``java.util``, in every jar.
    """
    return getattr(spark.sparkContext._jvm, name)


def _checked_connect(spark: Any) -> Any:
    from pyspark import __version__ as version

    if version.startswith("3."):
        raise old_connect(f"This is a Spark Connect session of PySpark {version}")
    from pyspark.sql.connect.session import SparkSession

    if not isinstance(spark, SparkSession):
        raise TypeError(f"spark must be a SparkSession, got {type(spark).__name__}")
    if spark.is_stopped:
        raise SparkWindowingError(
            "The SparkSession was stopped.", 'spark = SparkSession.builder.remote("sc://..").getOrCreate()'
        )
    return spark


def require_pyspark() -> None:
    """Raise an error if PySpark is not installed."""
    try:
        import pyspark.sql  # noqa: F401
    except ImportError:
        raise SparkWindowingError("PySpark is not installed.", f'pip install "{REQUIREMENT}"') from None


def is_query(value: object) -> bool:
    """Return whether a value is a streaming query, classic or of Spark Connect."""
    require_pyspark()
    if is_connect(value):
        return hasattr(type(value), "recentProgress")  # a DataFrame has any attribute
    from pyspark.sql.streaming.query import StreamingQuery

    return isinstance(value, StreamingQuery)


def check_query(query: object) -> None:
    """Refuse what is no streaming query.

    Raises
    ------
    TypeError
        With what came.
    """
    if not is_query(query):
        raise TypeError(f"query must be a StreamingQuery, as writeStream.start() returns, got {query!r}")
