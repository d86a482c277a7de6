"""A day in little: `make day`.

Sensors send messages to Kafka, two queries write sums and sessions of them into Delta tables, and what happens in years happens in half
an hour: an earlier release of the package for a later one (`--earlier WHEEL`), Spark 4.1 for 4.2, other partitions, a partition of the
topic that goes silent and comes back, kills of the driver, a full disk of the checkpoints. At the end the tables must be what a plain
loop over the messages says. Figures are scraped all the time, and drawn.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path

from upsert_session import session

import messages
import queries
from driver_process import Job
from figures_of_day import Figures
from servers import Broker, free_ports

DISK = 300  # MiB of the disk of the checkpoints
HAS_MOUNTS = "_DAY_HAS_MOUNTS"


class Day:
    """Job of the day, and all that happens to it; a `fraction` is a part of the day."""

    def __init__(self, options, folder, broker):
        self._options, self._folder = options, folder
        self.disk = folder / "disk"
        self.sender = messages.Sender(broker, queries.TOPIC, options.seed)
        self.job = Job(folder, self.disk / "narrow", broker, free_ports(1)[0])
        self.figures = Figures(self.job.figures)
        self._began = time.monotonic()

    def say(self, text):
        """Print what happens, with the minute, and keep it for the picture."""
        self.figures.event(text)
        print(f"{(time.monotonic() - self._began) / 60:5.1f} min  {text}", flush=True)

    def until(self, fraction):
        """Let the job run until this part of the day is over."""
        end = self._began + fraction * self._options.minutes * 60
        while time.monotonic() < end:
            self.job.check()
            self.figures.scrape()
            time.sleep(1)

    def goes_on(self, text):
        """Start the job, and say so when it has done something."""
        began = time.monotonic()
        self.job.start()
        self.job.wait_for_progress()
        self.say(f"{text}: goes on after {time.monotonic() - began:.0f} s")

    def earlier_release(self):
        """Start with an earlier release on Spark 4.1, if there is one."""
        self.job.python = self._options.spark_41.absolute()
        if self._options.earlier:
            self.job.path = self._folder / "earlier"
            install = [self.job.python, "-m", "pip", "install", "-q", "--no-deps", "--target", self.job.path]
            subprocess.run([*install, self._options.earlier], check=True)
        self.goes_on("earlier release, Spark 4.1" if self.job.path else "Spark 4.1")

    def kill(self):
        """End the driver by SIGKILL, and start it again."""
        self.job.kill()
        self.goes_on("driver killed")

    def release(self):
        """Stop the job, and start it with this release."""
        self.job.stop()
        self.job.path = None
        self.goes_on("this release")

    def rescale(self):
        """Go on with other partitions, by the steps that the docs say."""
        self.job.stop()
        self.job.start(once=True)
        self.job.wait()
        wide = self.disk / "wide"
        for query in queries.QUERIES:
            self.job.command("rescale", self.job.checkpoints / query, wide / query, "--partitions", "7")
        self.job.checkpoints, self.job.partitions = wide, 7
        self.goes_on("3 partitions, now 7")

    def silence(self, partition):
        """Let a partition of the topic be silent, or none."""
        self.sender.silent = partition
        self.say("all partitions send" if partition is None else f"partition {partition} is silent")

    def spark(self):
        """Stop the job, and start it with the next Spark."""
        self.job.stop()
        self.job.python = sys.executable
        self.goes_on("Spark 4.2")

    def full_disk(self):
        """Fill the disk of the checkpoints until the job fails; make room and start it again."""
        ballast = self.disk / "ballast"
        with ballast.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(4096))
        self.say("the disk is full")
        said = self.job.wait_for_failure()
        if "No space left on device" not in said:
            raise SystemExit(f"the job failed of something else:\n{said[-4000:]}")
        ballast.unlink()
        self.goes_on("the job failed, now there is room")

    def end(self):
        """Send no more, and take what there is; a second time, so that what the end closes is put out."""
        self.sender.end()
        self.say(f"{len(self.sender.sent):,} messages sent")
        self.job.stop()
        for _ in range(2):
            self.job.start(once=True)
            self.job.wait()
        self.say("all is read")

    def differences(self):
        """Return what is missing in the tables or too much."""
        spark = session(self._folder)
        bounds = ", ".join(f"unix_millis(window.{bound})" for bound in ("start", "end"))
        for name, expected in (
            ("sums", messages.sums(self.sender.sent, queries.WINDOW * 1000)),
            ("sessions", messages.sessions(self.sender.sent, queries.GAP * 1000)),
        ):
            table = f"delta.`{self._folder}/tables/{name}`"
            rows = spark.sql(f"SELECT sensor, {bounds}, n, sum FROM {table} WHERE sensor != '{messages.END}'")
            found = sorted(map(tuple, rows.collect()))
            lost, more = set(expected) - set(found), set(found) - set(expected)
            doubled = len(found) - len(set(found))
            print(
                f"{name}: {len(expected):,} rows expected, {len(lost)} lost, {len(more)} that should not be, {doubled} doubled"
            )
            if lost or more or doubled:
                yield f"{name}: lost {sorted(lost)[:5]}, too much {sorted(more)[:5]}"
        spark.stop()


def run(options, folder):
    """Let the day pass; return whether it went well."""
    with ExitStack() as stack:
        broker = stack.enter_context(Broker(folder / "kafka"))
        day = Day(options, folder, broker.address)
        stack.callback(day.job.close)
        day.sender.start()
        stack.callback(day.sender.stop)
        day.earlier_release()
        for fraction, what in (
            (0.12, day.kill),
            (0.2, day.release),
            (0.35, day.rescale),
            (0.5, lambda: day.silence(2)),
            (0.62, lambda: day.silence(None)),
            (0.7, day.spark),
            (0.8, day.full_disk),
            (0.9, day.kill),
            (1, day.end),
        ):
            day.until(fraction)
            what()
        wrong = list(day.differences())
    day.figures.draw(options.plot)
    print("\n".join(wrong) or "0 lost, 0 doubled")
    return not wrong


def main():
    """Run in a mount namespace of its own, where the checkpoints have a small disk."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--earlier", help="wheel of an earlier release, with which the day begins")
    parser.add_argument(
        "--spark-41", required=True, type=Path, help="the Python of a venv with Spark 4.1 and this release"
    )
    parser.add_argument("--plot", default="target/day/figures.png")
    options = parser.parse_args()
    if HAS_MOUNTS not in os.environ:
        os.environ[HAS_MOUNTS] = "1"
        os.execvp("unshare", ["unshare", "--map-root-user", "--mount", sys.executable, *sys.argv])
    folder = Path("target/day").absolute()
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "disk").mkdir(parents=True)
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK}m", "checkpoints", folder / "disk"], check=True
    )
    sys.exit(0 if run(options, folder) else 1)


if __name__ == "__main__":
    main()
