"""Questions to Scala by py4j, in a session with a JVM in this process."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_windowing._gateway.compatibility import check_jar, check_jar_line, check_scala, line_of
from spark_windowing._gateway.errors import SparkWindowingError, scala_errors
from spark_windowing._gateway.gateway import Gateway, Resolved
from spark_windowing._gateway.jar import AGAIN, PREFIX, jar_path
from spark_windowing._gateway.message import Message
from spark_windowing._gateway.spark_session import java_class, scala_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ENTRY = "dev.sparkwindowing.interop.Gateway$"
_RESOLVED = "dev.sparkwindowing_"  # before the name of a jar that came by --packages


# The entry objects by the id of the Spark application that they were resolved for.
_entries: dict[str, Any] = {}


@dataclass(frozen=True)
class ClassicGateway(Gateway):
    """Gateway that calls the entry object in the JVM of this process.

    Attributes
    ----------
    entry
        The entry object.
    """

    entry: Any

    def frame(self, ask: str, /, **fields: object) -> DataFrame:
        """Ask for a DataFrame."""
        from pyspark.sql import DataFrame

        return DataFrame(self._answer(ask, fields), self.spark)

    def value(self, ask: str, /, **fields: object) -> Any:
        """Ask for a text, a number or a list of these; None for null."""
        return json.loads(self._answer(ask, fields))

    def resolve(self, rows: object) -> Resolved:
        """Resolve keys and event time at once, so that the line that is wrong fails."""
        return Resolved(self, self._answer("resolve", {"rows": rows}))

    def check(self, declaration: object) -> None:
        """Ask at once, so that the line that is wrong fails."""
        self.value("check", declaration=declaration)

    def _answer(self, ask: str, fields: dict[str, object]) -> Any:
        message = Message(ask, fields)
        # PySpark's py4j makes Java lists of Python's, by several calls each.
        frames = [frame._jdf for frame in message.frames] or None
        columns = [column._jc for column in message.columns] or None
        lists = [rows.java for rows in message.resolved]
        resolved = lists[0] if len(lists) == 1 else [one.get(0) for one in lists] or None
        with scala_errors():
            return self.entry.answer(self.spark._jsparkSession, message.text, frames, columns, resolved)


def open_classic(spark: SparkSession) -> ClassicGateway:
    """Open the gateway in a session: add the bundled jar if necessary, check it, attach the operator.

    Raises
    ------
    SparkWindowingError
        If the jar cannot be used.
    """
    entry = _entry(spark)
    check_jar(entry.version())
    check_jar_line(entry.sparkLine(), spark.version, scala_of(spark))
    entry.attach(spark._jsparkSession)
    return ClassicGateway(spark, entry)


def known_jars(spark: SparkSession) -> list[str]:
    """Return the package's jars among those that the application sends to its executors."""
    jars = spark.sparkContext._jsc.sc().listJars()
    names = [jars.apply(i) for i in range(jars.size())]
    return [name for name in names if name.rpartition("/")[2].removeprefix(_RESOLVED).startswith(PREFIX)]


def find_entry(spark: SparkSession) -> Any | None:
    """Resolve the Scala entry object with the calling thread's class loader, or return None.

    py4j resolves names per thread, with a loader that may not know the jar; the returned object works from
    every thread.
    """
    found = find_class(spark, ENTRY)
    return None if found is None else found.getField("MODULE$").get(None)


def find_class(spark: SparkSession, name: str) -> Any | None:
    """Load a class with the calling thread's class loader, or return None."""
    from py4j.protocol import Py4JJavaError

    loader = java_class(spark, "java.lang.Thread").currentThread().getContextClassLoader()
    try:
        return loader.loadClass(name)
    except Py4JJavaError as error:
        if "ClassNotFoundException" not in str(error.java_exception):
            raise
        return None


def _entry(spark: SparkSession) -> Any:
    application = spark.sparkContext.applicationId
    if application not in _entries:
        known = known_jars(spark)
        _check_lines(spark, known)
        entry = find_entry(spark) if known else None
        if entry is None:
            _add_jar(spark)
            entry = find_entry(spark)
        if entry is None:
            raise SparkWindowingError(
                f"{jar_path(spark.version)} was added to the session, but it holds no class {ENTRY}.",
                AGAIN,
            )
        _entries.clear()  # those of applications that have ended
        _entries[application] = entry
    return _entries[application]


def _check_lines(spark: SparkSession, jars: list[str]) -> None:
    """Refuse a jar for another line by its name: its classes may not even load."""
    for jar in jars:
        line = re.search(rf"{PREFIX}(\d+\.\d+_\d+\.\d+)-", jar)
        if line is not None:
            check_jar_line(line[1], spark.version, scala_of(spark))


def _add_jar(spark: SparkSession) -> None:
    check_scala(scala_of(spark), line_of(spark.version))
    path = jar_path(spark.version)
    quote = '"' if "'" in path else "'"
    spark.sql(f"ADD JAR {quote}{path}{quote}")
    if "%" in Path(path).as_uri():  # Spark escapes such a path twice for the driver's class loader
        url = java_class(spark, "java.io.File")(path).toURI().toURL()
        spark._jsparkSession.sharedState().jarClassLoader().addURL(url)
