"""A job in a folder of its own, which can be started again and again until it is through."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import batch_files
from processes import kill_group, wait_for_end

DRIVER = Path(__file__).parent / "driver.py"
QUERIES = ("tumbling", "session", "count")
PATIENCE = 300  # seconds in which something must happen


class JobFailedError(Exception):
    """The job ended by itself before it was through, or stands still."""


class Job:
    """The job, its driver if it runs, and how far it has come; `settings` are Spark's."""

    def __init__(self, folder, source, settings):
        self.folder, self._source = folder, source
        self._settings = settings
        self._driver = None
        folder.mkdir(parents=True)

    def start(self):
        """Start a driver, with its JVM in a process group of its own."""
        settings = [f"{name}={value}" for name, value in self._settings.items()]
        with (self.folder / "driver.log").open("a") as log:
            self._driver = subprocess.Popen(
                [sys.executable, DRIVER, self.folder, self._source, *settings],
                stdout=log,
                stderr=log,
                start_new_session=True,
                env={**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"},
            )

    def runs(self):
        """Whether the driver still runs; if it ended, it must be through."""
        code = self._driver.poll()
        if code:
            log = (self.folder / "driver.log").read_text()[-4000:]
            raise JobFailedError(f"the driver ended with {code}; {self.folder}/driver.log ends in:\n{log}")
        return code is None

    def kill(self):
        """Kill the driver and its JVM, and wait until they are gone; whether it had not ended before."""
        kill_group(self._driver.pid)
        return self._driver.wait() == -signal.SIGKILL

    def stop(self):
        """Leave nothing running."""
        if self._driver and self._driver.poll() is None:
            self.kill()

    def wait(self, until, seconds):
        """Wait until something is so, or as many seconds, or until the driver has ended; whether it still runs."""
        end = time.monotonic() + seconds
        while self.runs():
            if until() or time.monotonic() >= end:
                return True
            time.sleep(0.05)
        return False

    def go_on(self, seconds):
        """Let it run for that long; whether the driver still runs."""
        return self.wait(lambda: False, seconds)

    def wait_for_progress(self):
        """Wait until one more micro-batch is through; whether the driver still runs."""
        before = self.batches()
        if not self.wait(lambda: self.batches() > before, PATIENCE):
            return False
        if self.batches() == before:
            raise JobFailedError(f"no micro-batch in {PATIENCE} seconds; see {self.folder}/driver.log")
        return True

    def finish(self):
        """Let it run to its end, also that of its JVM."""
        while self.wait_for_progress():
            pass
        wait_for_end(self._driver.pid)

    def batches(self):
        """The number of micro-batches that are through, of all queries."""
        return sum(self._newest(query, "commits") + 1 for query in QUERIES)

    def inside(self):
        """Whether a micro-batch of some query has begun and is not through."""
        return any(self._newest(query, "offsets") > self._newest(query, "commits") for query in QUERIES)

    def written(self):
        """Whether a micro-batch of some query is not through, and has written an output: its state is stored by then."""
        return any(
            batch_files.newest(self.folder, query) > self._newest(query, "commits") for query in QUERIES
        )

    def _newest(self, query, log):
        folder = self.folder / "checkpoint" / query / log
        names = [path.name for path in folder.glob("*")]
        return max((int(name) for name in names if name.isdigit()), default=-1)
