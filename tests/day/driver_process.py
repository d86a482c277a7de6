"""The job of the day: a driver that is started, stopped and killed, and its figures."""

import json
import os
import re
import signal
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

from processes import kill_group, wait_for_end

DRIVER = Path(__file__).parent / "queries.py"
PATIENCE = 600  # seconds in which something must happen
FIGURES = ("openWindows", "stateBytes", "watermarkLagMs", "numLateRecordsDropped")


class Job:
    """Driver in a process group of its own; `python` is the one of a venv, `path` a folder of packages that come first."""

    def __init__(self, folder, checkpoints, broker, port):
        self.folder, self.checkpoints = folder, checkpoints
        self._options = {"folder": str(folder), "broker": broker, "port": port}
        self.python, self.path, self.partitions = None, None, 3
        self._driver = None
        self._figures = f"http://127.0.0.1:{port}/metrics/prometheus/"

    def start(self, *, once=False):
        """Start a driver."""
        (self.folder / "stop").unlink(missing_ok=True)
        options = {
            **self._options,
            "checkpoints": str(self.checkpoints),
            "partitions": self.partitions,
            "once": once,
        }
        environment = {**os.environ, "PYSPARK_PYTHON": str(self.python), "SPARK_LOCAL_IP": "127.0.0.1"}
        environment |= {"PYTHONPATH": str(self.path)} if self.path else {}
        with self._log.open("a") as log:
            self._driver = subprocess.Popen(
                [self.python, DRIVER, json.dumps(options)],
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=environment,
            )

    @property
    def _log(self):
        return self.folder / "driver.log"

    def ended(self):
        """Return the code with which the driver has ended, None if it runs."""
        return self._driver.poll()

    def check(self):
        """Fail if the driver has ended by itself."""
        if self.ended() is not None:
            raise SystemExit(f"the driver ended with {self.ended()}; {self._log} ends in:\n{self.said()}")

    def said(self):
        """Return the end of the driver's log."""
        return self._log.read_text()[-4000:]

    def kill(self):
        """End the driver and its JVM by SIGKILL."""
        kill_group(self._driver.pid)
        if self._driver.wait() != -signal.SIGKILL:
            raise SystemExit(f"the driver was not there to be killed; {self._log} ends in:\n{self.said()}")

    def close(self):
        """End what is left of a driver."""
        if self._driver:
            with suppress(ProcessLookupError):
                kill_group(self._driver.pid)

    def stop(self):
        """Let the driver stop its queries; wait until it is gone."""
        self.check()
        (self.folder / "stop").touch()
        self.wait()

    def wait(self):
        """Wait until the driver and its JVM have ended well."""
        if self._driver.wait(PATIENCE):
            raise SystemExit(f"the driver ended with {self.ended()}; {self._log} ends in:\n{self.said()}")
        wait_for_end(self._driver.pid)

    def wait_for_failure(self):
        """Wait until the driver fails; return what it says meanwhile."""
        before = self._log.stat().st_size
        end = time.monotonic() + PATIENCE
        while not self.ended() and time.monotonic() < end:
            time.sleep(0.2)
        if not self.ended():
            raise SystemExit(f"the driver did not fail in {PATIENCE} seconds")
        self.close()
        return self._log.read_bytes()[before:].decode()

    def command(self, *words):
        """Run a command of the package; fail if it does."""
        with self._log.open("a") as log:
            subprocess.run([self.python, "-m", "spark_windowing", *words], check=True, stdout=log, stderr=log)

    def batches(self):
        """Return the number of the newest micro-batch of each query that is through."""
        return {
            query.name: max((int(f.name) for f in (query / "commits").glob("[0-9]*")), default=-1)
            for query in self.checkpoints.glob("*")
            if query.is_dir()
        }

    def wait_for_progress(self):
        """Wait until each query has done two micro-batches more."""
        before, end = self.batches(), time.monotonic() + PATIENCE
        while time.monotonic() < end:
            self.check()
            now = self.batches()
            if len(now) == 2 and all(number > before.get(query, -1) + 1 for query, number in now.items()):
                return
            time.sleep(0.2)
        raise SystemExit(f"no progress in {PATIENCE} seconds; see {self._log}")

    def figures(self):
        """Return the figures of windows by query and name, as Spark serves them; nothing if there are none."""
        try:
            with urllib.request.urlopen(self._figures, timeout=2) as answer:
                text = answer.read().decode()
        except (urllib.error.URLError, OSError):
            return {}
        found = re.findall(
            rf"^metrics_day_driver_spark_windowing_(\w+?)_windows_(?:0_)?({'|'.join(FIGURES)})_\w+{{.*}} (\S+)$",
            text,
            re.MULTILINE,
        )
        return {(query, name): float(value) for query, name, value in found}
