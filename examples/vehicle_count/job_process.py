"""The job as a process of its own, which can be killed and started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Self

JOB = Path(__file__).parent / "job.py"
RESTARTS = 5
SECONDS_TO_END = 60


class JobProcess:
    """A job, with its JVM in a process group of their own; `options` are those of job.py."""

    def __init__(self, options: list[str], log: Path) -> None:
        self._command = [sys.executable, str(JOB), *options]
        self._log = log
        self.restarts = 0

    def __enter__(self) -> Self:
        """Start it."""
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Ask it to end, and leave nothing running."""
        self._process.terminate()
        try:
            self._process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self.kill()

    def start(self) -> None:
        """Start it. What it has done before is in its checkpoint."""
        environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, stderr=log, start_new_session=True, env=environment
            )

    def runs(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def keep_running(self) -> None:
        """Start it again if it has ended by itself: a server was away for longer than its patience."""
        if self.runs():
            return
        if self.restarts == RESTARTS:
            raise RuntimeError(f"The job has ended {RESTARTS + 1} times, {self._log} says why")
        self.restarts += 1
        self.start()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the job and its JVM."""
        os.killpg(self._process.pid, number)

    def kill(self) -> None:
        """End it and its JVM by SIGKILL, as a lost machine does."""
        self.signal(signal.SIGKILL)
        self._process.wait()
