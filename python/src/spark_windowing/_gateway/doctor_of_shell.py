"""Check of the set-up in a session that the check starts: ``python -m spark_windowing doctor``."""

from __future__ import annotations

import socket
from os import environ
from urllib.parse import urlparse

from spark_windowing._gateway.connect_refusals import start_line
from spark_windowing._gateway.doctor import Report, doctor, is_client, look, server_url
from spark_windowing._gateway.errors import SparkWindowingError

_PORT = 15002  # that of Spark Connect
_SECONDS = 10
_PROXIES = ("grpc_proxy", "https_proxy", "http_proxy")


def doctor_of_shell() -> Report:
    """Check the installation, then a small session, or one of the server in ``SPARK_REMOTE``."""
    report = doctor()
    url = server_url()
    if not report.ok or (is_client() and not url):
        return report
    if url:
        server = look("server", lambda: answer(url))
        if server.remedy:
            return Report((*report.findings[:-1], server))
    from pyspark.sql import SparkSession

    builder = SparkSession.builder
    if not environ.get("SPARK_REMOTE"):
        environ.pop("SPARK_REMOTE", None)  # Spark takes an empty one for a server
        builder = builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = builder.getOrCreate()
    try:
        return doctor(spark)
    finally:
        spark.stop()


def answer(url: str) -> str:
    """Connect to a server once: the client of Spark tries for minutes."""
    import pyspark

    if any(environ.get(name) for name in _PROXIES):
        return f"{url} is asked by a proxy"
    try:
        server = urlparse(url)
        socket.create_connection((server.hostname or "", server.port or _PORT), _SECONDS).close()
    except (OSError, ValueError) as error:  # no server, or no address
        raise SparkWindowingError(
            f"{url} of SPARK_REMOTE does not answer: {error}",
            f"check the address, or start it: {start_line(pyspark.__version__)}",
        ) from None
    return f"{url} answers"
