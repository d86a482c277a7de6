"""Check of the set-up, in Python and in a shell, with a command that fixes each problem."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from os import environ
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlparse

from spark_windowing._gateway.classic import known_jars
from spark_windowing._gateway.compatibility import LINES, line_of
from spark_windowing._gateway.connect_way import start_line
from spark_windowing._gateway.errors import SparkWindowingError
from spark_windowing._gateway.jar import jar_path
from spark_windowing._gateway.micro_batches import micro_batches
from spark_windowing._gateway.pipeline_spec import check_spec, spec_here
from spark_windowing._gateway.python_workers import check_workers
from spark_windowing._gateway.setup import open_gateway
from spark_windowing._gateway.spark_session import (
    checked,
    is_connect,
    require_pyspark,
    running_session,
    scala_of,
)
from spark_windowing._version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

_NO_SESSION = "none is running: start one and ask again to check it"
_NO_SERVER = (
    "none is running: connect, or set SPARK_REMOTE=sc://host:15002, and ask again to check the server"
)
_PORT = 15002  # that of Spark Connect
_TIMEOUT_SECONDS = 10
_PROXIES = ("grpc_proxy", "https_proxy", "http_proxy")
_STORE = "spark.sql.streaming.stateStore"
_MANY_CHANGES = 100  # micro-batches


@dataclass(frozen=True)
class Finding:
    """Result of one check.

    Attributes
    ----------
    subject
        Subject of the check.
    found
        The value found, or the problem.
    remedy
        The command that fixes the problem; empty if there is none.

    Examples
    --------
    >>> sw.doctor().findings[0].subject
    'spark-windowing'
    """

    subject: str
    found: str
    remedy: str = ""


@dataclass(frozen=True, repr=False)
class Report:
    """Findings of `doctor`.

    Attributes
    ----------
    findings
        The findings, in order of the checks.

    Examples
    --------
    >>> report = sw.doctor()
    >>> report.ok, report.problems
    (True, ())
    """

    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """True if there is no problem."""
        return not self.problems

    @property
    def problems(self) -> tuple[Finding, ...]:
        """The findings with a problem."""
        return tuple(finding for finding in self.findings if finding.remedy)

    def __repr__(self) -> str:
        """Return the report as text, one line per finding."""
        width = max(len(finding.subject) for finding in self.findings)
        lines = []
        for finding in self.findings:
            mark = "wrong" if finding.remedy else "ok   "
            lines.append(f"{mark}  {finding.subject.ljust(width)}  {finding.found}")
            if finding.remedy:
                lines.append(f"{' ' * (width + 9)}{finding.remedy}")
        count = len(self.problems)
        lines.append("nothing is wrong" if self.ok else f"{count} to mend")
        return "\n".join(lines)


def doctor(spark: SparkSession | None = None) -> Report:
    """Check versions, jar, class path, session, state store, micro-batches, and the Python of workers.

    In the folder of a pipeline the check reads its spec. In a running session it attaches the jar, as first
    use does, and runs a job of one row that looks for pandas and PyArrow in a worker. Only Python functions
    of windows (`process`, `apply`) need these.

    Parameters
    ----------
    spark
        The session to check, by default the active one. Without one only the installation is checked.

    Returns
    -------
    Report
        Prints as text; ``ok`` is True if there is no problem.

    Examples
    --------
    >>> sw.doctor().ok
    True
    """
    python_version = sys.version.partition(" ")[0]
    pyspark = _look("pyspark", _pyspark)
    findings = [Finding("spark-windowing", f"{__version__}, Python {python_version}"), pyspark]
    if (spec := spec_here()) is not None:
        findings.append(_look("pipeline", lambda: check_spec(spec)))
    if spark is None and not pyspark.remedy:
        spark = running_session()
    if is_connect(spark):
        return Report((*findings, *_of_client(spark)))  # type: ignore[arg-type]
    if spark is not None or not _is_client():
        findings.append(_look("Java", lambda: _java("" if pyspark.remedy else pyspark.found)))
    if spark is None:
        if not pyspark.remedy:
            findings.append(_look("bundled jar", lambda: _jar(pyspark.found, "PySpark")))
        findings.append(Finding("session", _NO_SERVER if _is_client() else _NO_SESSION))
        return Report(tuple(findings))
    running = spark
    session = _look("session", lambda: _session(running))
    findings.append(session)
    if not session.remedy:
        findings.append(_look("bundled jar", lambda: _jar(running.version, "the session's Spark")))
        findings.append(_look("spark.jars", lambda: _spark_jars(running)))
        findings.append(_look("operator", lambda: _operator(running)))
        findings.append(_look("state store", lambda: _state_store(running)))
        findings.append(_look("micro-batches", lambda: micro_batches(running)))
        findings.append(_look("Python workers", lambda: check_workers(running)))
    return Report(tuple(findings))


def doctor_of_shell() -> Report:
    """Check the installation, then a new session: a local one, or one of the server in ``SPARK_REMOTE``."""
    report = doctor()
    url = _server_url()
    if not report.ok or (_is_client() and not url):
        return report
    if url:
        server = _look("server", lambda: _answer(url))
        if server.remedy:
            return Report((*report.findings[:-1], server))
    from pyspark.sql import SparkSession

    builder = SparkSession.builder
    if not environ.get("SPARK_REMOTE"):
        environ.pop("SPARK_REMOTE", None)  # to Spark, an empty one names a server
        builder = builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = builder.getOrCreate()
    try:
        return doctor(spark)
    finally:
        spark.stop()


def _look(subject: str, check: Callable[[], str]) -> Finding:
    """Run a check and return its finding."""
    try:
        return Finding(subject, check())
    except SparkWindowingError as error:
        return Finding(subject, error.problem, error.remedy)


def _pyspark() -> str:
    require_pyspark()
    import pyspark

    line_of(pyspark.__version__)
    if (whole := _installed("pyspark")) and (client := _installed("pyspark-client")):
        raise SparkWindowingError(
            f"pyspark {whole} and pyspark-client {client} are both installed, and share their files",
            f"{sys.executable} -m pip uninstall -y pyspark pyspark-client; then the one that you need: "
            f'{sys.executable} -m pip install "pyspark=={whole}", or "pyspark-client=={client}" for servers',
        )
    return pyspark.__version__


def _installed(distribution: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version  # costs milliseconds at import

    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def _jar(version: str, whose: str) -> str:
    return f"{jar_path(version)}, for Spark {line_of(version).versions}, since {whose} is {version}"


def _java(spark: str) -> str:
    import shutil  # costs milliseconds at import

    home = environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    if found is None:
        where = f"none in JAVA_HOME = {home}" if home else "none on the PATH"
        versions = line_of(spark).java if spark else f"{LINES[-1].java}, for Spark 3.5 {LINES[0].java}"
        raise SparkWindowingError(where, f"install a JDK {versions}, or set JAVA_HOME")
    return found


def _server_url() -> str:
    """Return the server that ``SPARK_REMOTE`` names, ``sc://..``, empty if it names none."""
    url = environ.get("SPARK_REMOTE", "")
    return url if url.startswith("sc://") else ""


def _is_client() -> bool:
    """Tell whether no Java runs here: the client of Spark Connect alone, or a server elsewhere."""
    if _server_url():
        return True
    try:
        from pyspark.util import is_remote_only
    except ImportError:
        return False
    return bool(is_remote_only())


def _answer(url: str) -> str:
    """Connect to a server once, as the client of Spark would try for minutes."""
    import socket  # costs milliseconds at import

    import pyspark

    if any(environ.get(name) for name in _PROXIES):
        return f"{url} is reached through a proxy"
    try:
        server = urlparse(url)
        socket.create_connection((server.hostname or "", server.port or _PORT), _TIMEOUT_SECONDS).close()
    except (OSError, ValueError) as error:  # no server, or no address
        raise SparkWindowingError(
            f"{url} of SPARK_REMOTE does not answer: {error}",
            f"check the address, or start it: {start_line(pyspark.__version__)}",
        ) from None
    return f"{url} answers"


def _of_client(spark: SparkSession) -> list[Finding]:
    """Check the server of a Spark Connect session."""
    session = _look("session", lambda: f"Spark {checked(spark).version} by Spark Connect")
    if session.remedy:
        return [session]
    operator = _look("server", lambda: f"has windows, {open_gateway(spark) and __version__}")
    if operator.remedy:
        return [session, operator]
    return [session, operator, _look("Python workers", lambda: check_workers(spark))]


def _session(spark: SparkSession) -> str:
    session = checked(spark)
    return f"Spark {session.version}, Scala {scala_of(session)}, {session.sparkContext.master}"


def _spark_jars(spark: SparkSession) -> str:
    listed = [item for item in spark.conf.get("spark.jars", "").split(",") if item]  # type: ignore[union-attr]
    if missing := [item for item in listed if not _exists(item)]:
        raise SparkWindowingError(
            f"spark.jars names files that do not exist: {', '.join(missing)}",
            "sw.configure(builder) writes the right path; or leave spark.jars out",
        )
    return f"{len(listed)} listed, all there" if listed else "not set, not needed"


def _exists(item: str) -> bool:
    uri = urlparse(item)
    return uri.scheme not in ("", "file") or Path(unquote(uri.path)).exists()


def _operator(spark: SparkSession) -> str:
    gateway = open_gateway(spark)
    sources = ", ".join(name.rpartition("/")[2] for name in known_jars(spark)) or "the class path"
    return f"attached, {gateway.value('version')} from {sources}"


def _state_store(spark: SparkSession) -> str:
    """Tell the state store; a problem if a start reads the changes of many micro-batches again."""

    def setting(name: str, default: str) -> str:
        return spark.conf.get(f"{_STORE}.{name}", default) or default

    store = setting("providerClass", "HDFSBackedStateStoreProvider").rpartition(".")[2]
    if store == "RocksDBStateStoreProvider":
        if setting("rocksdb.changelogCheckpointing.enabled", "false").lower() != "true":
            return f"{store}, a snapshot in each micro-batch"
    elif store != "HDFSBackedStateStoreProvider":
        return store
    changes = int(setting("minDeltasForSnapshot", "10"))
    if changes > _MANY_CHANGES:
        raise SparkWindowingError(
            f"{store}: a start reads the changes of up to {changes:,} micro-batches again",
            f'spark.conf.set("{_STORE}.minDeltasForSnapshot", "10")',
        )
    return f"{store}, a snapshot after {changes} micro-batches"
