"""A standalone cluster of Spark on the loopback address: a master and two workers."""

import os
import re
import subprocess
import time
from pathlib import Path

import fast_start
import pyspark

from processes import processes

SPARK = Path(pyspark.__file__).parent
MASTER = "org.apache.spark.deploy.master.Master"
WORKER = "org.apache.spark.deploy.worker.Worker"
EXECUTOR = "org.apache.spark.executor.CoarseGrainedExecutorBackend"
PATIENCE = 120  # seconds in which a daemon must have started


class Cluster:
    """The daemons; `folder` takes their logs and what the executors write; `cores` are those of a worker."""

    def __init__(self, folder, cores=1):
        self._folder = folder
        self._cores = cores
        self._daemons = []
        folder.mkdir(parents=True)

    def __enter__(self):
        """Start the daemons, and wait until they know each other."""
        try:
            self.url = self._start(
                "master",
                r"Starting Spark master at (spark://\S+)",
                MASTER,
                "--host",
                "127.0.0.1",
                "--port",
                "0",
            )
            for name in ("worker-1", "worker-2"):
                where = ["--host", "127.0.0.1", "--work-dir", self._folder / "work", self.url]
                self._start(
                    name,
                    r"Successfully registered with (master)",
                    WORKER,
                    *where,
                    "--cores",
                    str(self._cores),
                    "--memory",
                    "1g",
                )
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        """End the workers, which end their executors, and the master."""
        for daemon in reversed(self._daemons):
            daemon.terminate()
            daemon.wait()

    def settings(self):
        """What the driver must know."""
        return {
            "spark.master": self.url,
            "spark.executor.cores": str(self._cores),
            "spark.executor.memory": "600m",
            "spark.executor.extraJavaOptions": fast_start.OPTIONS,
            # Executors are lost all the time.
            "spark.task.maxFailures": "1000",
            "spark.stage.maxConsecutiveAttempts": "1000",
            "spark.shuffle.io.maxRetries": "1",
            "spark.shuffle.io.retryWait": "1s",
        }

    @property
    def workers(self):
        return self._daemons[1:]

    def executors(self):
        """The process ids of all executors that run."""
        parents = [worker.pid for worker in self.workers]
        return [p.pid for p in processes() if p.parent in parents and EXECUTOR in p.command()]

    def started(self):
        """How many executors have been started."""
        return len(list(self._folder.glob("work/app-*/*")))

    def _start(self, name, sign, *command):
        """Start a daemon and wait for a line in its log; what the line says."""
        path = self._folder / f"{name}.log"
        with path.open("w") as log:
            daemon = subprocess.Popen(
                [SPARK / "bin" / "spark-class", *command, "--webui-port", "0"],
                stdout=log,
                stderr=log,
                start_new_session=True,
                env={
                    **os.environ,
                    "SPARK_HOME": str(SPARK),
                    "SPARK_LOCAL_IP": "127.0.0.1",
                    "SPARK_DAEMON_MEMORY": "256m",
                    "SPARK_DAEMON_JAVA_OPTS": fast_start.OPTIONS,
                    "SPARK_MASTER_OPTS": "-Dspark.deploy.maxExecutorRetries=-1",
                },
            )
        self._daemons.append(daemon)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and daemon.poll() is None:
            if found := re.search(sign, path.read_text()):
                return found[1]
            time.sleep(0.1)
        raise RuntimeError(f"the {name} did not start; {path} ends in:\n{path.read_text()[-4000:]}")
