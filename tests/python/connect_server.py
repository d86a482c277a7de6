"""A server of Spark Connect in a process of its own, from the jars of the installed PySpark."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import spark_windowing as sw

PLUGIN = {"spark.connect.extensions.relation.classes": "dev.sparkwindowing.connect.SparkWindowingPlugin"}
CLASS = "org.apache.spark.sql.connect.service.SparkConnectServer"
# Lines for a Python that finds a folder without code in place of the package.
WITHOUT_PACKAGE = (
    "import sys",
    "from importlib.machinery import ModuleSpec",
    "class Without:",
    "    @staticmethod",
    "    def find_spec(name, path=None, target=None):",
    "        return ModuleSpec(name, None) if name == 'spark_windowing' else None",
    "sys.meta_path.insert(0, Without)",
)
STARTED = re.compile(r"Spark Connect server started at: \S+:(\d+)")


class Server:
    """A running server.

    Attributes
    ----------
    url
        What a client takes, ``sc://127.0.0.1:port``.
    port
        The port.
    """

    def __init__(self, process, port, reader):
        self._process = process
        self._reader = reader
        self.port = port
        self.url = f"sc://127.0.0.1:{port}"

    def kill(self):
        """End the server at once, as a crash does."""
        self._process.kill()
        self._process.wait()
        self._reader.join()


def start(folder, settings=(), *, port=0, jar=None, env=()):
    """Start a server with the plugin's jar and these settings; return when it takes clients."""
    import pyspark

    home = Path(pyspark.__file__).parent
    folder = Path(folder)
    every = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        **dict(settings),
    }
    jar = sw.jar_path() if jar is None else jar
    command = [str(home / "bin" / "spark-submit"), "--master", "local[2]", *(["--jars", jar] if jar else [])]
    for name, value in every.items():
        command += ["--conf", f"{name}={value}"]
    command += ["--class", CLASS]
    environment = {**os.environ, "SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable, **dict(env)}
    for name in ("SPARK_REMOTE", "SPARK_CONNECT_MODE_ENABLED", "SPARK_LOCAL_REMOTE"):
        environment.pop(name, None)  # of a client in this process
    process = subprocess.Popen(
        ["bash", "-c", 'exec "$@"', "server", *command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    seen = []
    for line in process.stdout:
        seen.append(line)
        if found := STARTED.search(line):
            log = folder / f"server-{found[1]}.log"
            return Server(process, int(found[1]), _drain(process, log))
    process.wait()
    raise AssertionError("the server did not start:\n" + "".join(seen[-40:]))


def start_plain(folder, settings=(), **others):
    """Start a server that has nothing of this package: no jar, no plugin, no package in its Python."""
    site = Path(folder) / "site"
    site.mkdir(exist_ok=True)
    (site / "sitecustomize.py").write_text("\n".join(WITHOUT_PACKAGE))
    return start(folder, settings, jar="", env={"PYTHONPATH": str(site)}, **others)


@contextmanager
def running(folder, settings=(), **others):
    """Run a server with the plugin for the time of a block."""
    server = start(folder, {**PLUGIN, **dict(settings)}, **others)
    with ending(server):
        yield server


@contextmanager
def ending(server):
    """End a server behind a block."""
    try:
        yield server
    finally:
        server.kill()


def _drain(process, log):
    """Keep reading, so that the server never waits for a reader."""
    import threading

    def read():
        with log.open("w") as file, process.stdout:
            for line in process.stdout:
                file.write(line)
                file.flush()

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    return reader
