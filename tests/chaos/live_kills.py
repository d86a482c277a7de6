"""Kill drivers and executors of a query in real-time mode, and compare its windows with the rows that were sent.

    python tests/chaos/live_kills.py [--kills 25] [--executor-kills 25] [--load 6] [--seed ..] [--folder target/live-chaos]

From Kafka to Kafka: rows of 40 keys come all the time in two partitions. At the end each window must have come with all its rows, at least once, and
each time the same, and no row may be late. With a load, in which a new executor takes long to reach Kafka, too. Runs on Linux and on a Spark that has real-time mode.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests" / "platforms"), str(ROOT / "examples" / "vehicle_count")]

# ruff: noqa: E402
import fast_start
from confluent_kafka import Consumer, Producer
from replay import create_topic
from servers import Broker

from cluster import Cluster
from processes import kill_group

KEYS = 40
WINDOW = 60_000  # milliseconds
STEP = 100  # milliseconds of event time from a row to the next one
RATE = 1000  # rows a second
LIFE = 9  # most seconds from a result to the next kill
PATIENCE = 180  # seconds in which a result must come


class Feed(threading.Thread):
    """Rows of a topic, sent at a rate, and those of each window."""

    def __init__(self, broker):
        super().__init__(daemon=True)
        self.sent = defaultdict(list)
        self.rows = 0
        self._producer = Producer({"bootstrap.servers": broker, "linger.ms": 5})
        self._over = threading.Event()

    def run(self):
        begin = time.time()
        while not self._over.wait(0.02):
            for n in range(self.rows, int((time.time() - begin) * RATE)):
                # A partition has rows of all keys.
                key, at = f"k{n * 7 // 3 % KEYS}", n * STEP
                self._producer.produce("in", f"{key} {at} {n}".encode(), partition=n % 2)
                self.sent[key, at // WINDOW * WINDOW].append(n)
                self.rows = n + 1
            self._producer.poll(0)
        self._producer.flush(60)

    def end(self):
        self._over.set()
        self.join()


class Results(threading.Thread):
    """Results of each window, in the order in which they came."""

    def __init__(self, broker):
        super().__init__(daemon=True)
        self.windows = defaultdict(list)
        self.late = []
        self.count = 0
        self._over = threading.Event()
        self._consumer = Consumer(
            {"bootstrap.servers": broker, "group.id": "chaos", "auto.offset.reset": "earliest"}
        )
        self._consumer.subscribe(["out"])

    def run(self):
        while not self._over.is_set():
            message = self._consumer.poll(0.2)
            if message is None or message.error():
                continue
            row = json.loads(message.value())
            if "start" in row:
                self.windows[row["key"], row["start"]].append(
                    (row["rows"], row["sum"], tuple(sorted(row["all"])))
                )
            else:
                self.late.append(row)
            self.count += 1
        self._consumer.close()

    def end(self):
        self._over.set()
        self.join()


class Driver:
    """The process that runs the query."""

    def __init__(self, broker, folder, settings):
        self._arguments = [broker, str(folder / "checkpoint"), *(f"{k}={v}" for k, v in settings.items())]
        self._log = folder / "driver.log"

    def start(self):
        with self._log.open("a") as log:
            self._process = subprocess.Popen(
                [sys.executable, Path(__file__).with_name("live_driver.py"), *self._arguments],
                stdout=log,
                stderr=log,
                start_new_session=True,
                env={**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"},
            )

    def kill(self):
        if self._process.poll() is not None:
            raise SystemExit(
                f"the driver ended by itself; {self._log} ends in:\n{self._log.read_text()[-3000:]}"
            )
        kill_group(self._process.pid)
        self._process.wait()

    def failures(self):
        return self._log.read_text().count("failed ")


class Run:
    """Kills of one kind, over a checkpoint and topics of their own."""

    def __init__(self, kind, folder, chance):
        self._kind, self._folder, self._chance = kind, folder / kind, chance
        self._folder.mkdir(parents=True)

    def kill_drivers(self, kills):
        with Broker(self._folder / "kafka") as broker:
            driver = self._begin(broker, {})
            for _ in range(kills):
                self._live()
                driver.kill()
                driver.start()
            return self._end(driver, kills)

    def kill_executors(self, kills):
        done = 0
        with Broker(self._folder / "kafka") as broker, Cluster(self._folder / "cluster", cores=2) as cluster:
            driver = self._begin(broker, cluster.settings())
            while done < kills:
                self._live()
                executors = cluster.executors()
                if executors:
                    os.kill(self._chance.choice(executors), signal.SIGKILL)
                    done += 1
            return self._end(driver, kills)

    def _begin(self, broker, settings):
        for topic, partitions in {"in": 2, "out": 1}.items():
            create_topic(broker.address, topic, partitions=partitions)
        self._feed, self._results = Feed(broker.address), Results(broker.address)
        self._feed.start()
        self._results.start()
        driver = Driver(broker.address, self._folder, settings)
        driver.start()
        return driver

    def _live(self):
        """Wait until one more result has come, and then for some time."""
        self._wait_for(self._results.count + 1)
        time.sleep(self._chance.uniform(0, LIFE))

    def _wait_for(self, count):
        end = time.monotonic() + PATIENCE
        while self._results.count < count:
            if time.monotonic() > end:
                raise SystemExit(f"no result in {PATIENCE} seconds; see {self._folder}/driver.log")
            time.sleep(0.05)

    def _end(self, driver, kills):
        """Wait until all windows that are complete have come; print a line of the table."""
        self._feed.end()
        rows = self._feed.rows
        # Each partition's last row has the time of the watermark.
        due = {
            window: sorted(sent)
            for window, sent in self._feed.sent.items()
            if window[1] + WINDOW <= (rows - 2) * STEP
        }
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and due.keys() - self._results.windows.keys():
            time.sleep(0.2)
        time.sleep(2)
        driver.kill()
        self._results.end()
        got = self._results.windows
        wanted = {window: (len(sent), sum(sent), tuple(sent)) for window, sent in due.items()}
        lost = due.keys() - got.keys()
        wrong = [w for w, came in got.items() if w in wanted and any(one != wanted[w] for one in came)]
        early = got.keys() - due.keys()
        again = sum(len(came) - 1 for came in got.values())
        figures = (
            self._kind,
            kills,
            driver.failures(),
            rows,
            len(got),
            again,
            len(lost),
            len(wrong) + len(early),
            len(self._results.late),
        )
        print(f"| {' | '.join(f'{f:,}' if isinstance(f, int) else f for f in figures)} |", flush=True)
        return not (lost or wrong or early or self._results.late)


@contextmanager
def busy(count):
    """Keep so many processes busy, each in a session of its own: Linux may share the processors among sessions."""
    loops = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True)
        for _ in range(count)
    ]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def main(argv=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=25, help="of drivers (default: 25)")
    parser.add_argument("--executor-kills", type=int, default=25, help="of executors (default: 25)")
    parser.add_argument(
        "--load", type=int, default=0, help="processes that keep the processors busy meanwhile (default: 0)"
    )
    parser.add_argument("--seed", type=int, default=random.randrange(2**32), help="repeats choices and waits")
    parser.add_argument(
        "--folder", type=Path, default=ROOT / "target" / "live-chaos", help="is deleted first"
    )
    options = parser.parse_args(argv)
    os.environ.setdefault("SPARK_SUBMIT_OPTS", fast_start.options())
    folder = options.folder.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    chance = random.Random(options.seed)
    print(f"seed {options.seed}")
    print("| killed | kills | queries that failed | rows | windows | came again | lost | wrong | late |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    with busy(options.load):
        right = [
            Run("driver", folder, chance).kill_drivers(options.kills) if options.kills else True,
            Run("executor", folder, chance).kill_executors(options.executor_kills)
            if options.executor_kills
            else True,
        ]
    if all(right):
        shutil.rmtree(folder)
    return 0 if all(right) else 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that nothing is left running
    sys.exit(main())
