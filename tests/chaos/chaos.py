"""Kill drivers and executors of a streaming job at random moments, and see that its results are those of a run without kills.

    python tests/chaos/chaos.py [--kills 50] [--executor-kills 20] [--seed ..] [--files 30] [--folder target/chaos]

The job runs three queries at once, each with two outputs; the kills are shared out among three kinds of state. A job that is
through before it was killed often enough is followed by another one. Fails if a row is lost, doubled or wrong, shows the
first of them and leaves what the job has written for a look; else deletes it. Runs on Linux: it finds processes under /proc.
"""

import argparse
import os
import random
import shutil
import signal
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "platforms"))  # for fast_start

# ruff: noqa: E402
import fast_start

import batch_files
from cluster import Cluster
from expected import expected
from figures import Figures, table
from input_files import events, write
from job import Job, JobFailedError
from kills import kill_drivers, kill_executors

PROVIDER = "spark.sql.streaming.stateStore.providerClass"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
CHANGELOG = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"
STATES = {
    "HDFS": {},
    "RocksDB": {PROVIDER: ROCKSDB, CHANGELOG: "false"},
    "RocksDB, changelog": {PROVIDER: ROCKSDB, CHANGELOG: "true"},
}
SHOWN = 20  # differences


class Run:
    """The jobs of a run, all over the same files."""

    def __init__(self, options):
        self._folder = options.folder.resolve()
        self._chance = random.Random(options.seed)
        self._source = self._folder / "in"
        self._jobs = 0
        shutil.rmtree(self._folder, ignore_errors=True)
        files = events(options.seed, options.files)
        write(files, self._source)
        self._rows = sum(map(len, files))
        self._wanted = expected(files)

    def without_kills(self):
        """Let a job run undisturbed and compare it with what the events say; the others are compared with it."""
        figures = Figures("nothing", "HDFS")

        def finish(job):
            job.start()
            job.finish()
            self._wanted, wanted = batch_files.read(job.folder), self._wanted
            figures.add(job, self._rows, wanted)

        self._with_a_job({}, finish)
        return figures

    def kill_drivers(self, state, kills):
        """Kill drivers as often in all; one job follows the other."""
        figures = Figures("driver", state)

        def kill(job):
            kill_drivers(job, self._chance, kills - figures.tally.kills, figures.tally)
            figures.add(job, self._rows, self._wanted)

        while figures.tally.kills < kills:
            self._with_a_job(STATES[state], kill)
        return figures

    def kill_executors(self, state, kills, cluster):
        """Kill executors as often in all, under a driver that lives on."""
        figures = Figures("executor", state)

        def kill(job):
            kill_executors(job, cluster, self._chance, kills - figures.tally.kills, figures.tally)
            figures.add(job, self._rows, self._wanted)

        while figures.tally.kills < kills:
            self._with_a_job({**STATES[state], **cluster.settings()}, kill)
        return figures

    def cluster(self):
        return Cluster(self._folder / "cluster")

    def _with_a_job(self, settings, act):
        self._jobs += 1
        job = Job(self._folder / f"job-{self._jobs}", self._source, settings)
        try:
            act(job)
        finally:
            job.stop()


def figures_of(options):
    """Everything that is asked for, a kind of kill and state at a time."""
    run = Run(options)
    yield run.without_kills()
    for state, kills in shares(options.kills):
        yield run.kill_drivers(state, kills)
    if options.executor_kills:
        with run.cluster() as cluster:
            for state, kills in shares(options.executor_kills):
                yield run.kill_executors(state, kills, cluster)


def shares(kills):
    """How many kills each kind of state gets."""
    shared = [(state, (kills + i) // len(STATES)) for i, state in enumerate(STATES)]
    return [(state, share) for state, share in shared if share]


def arguments(argv):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=50, help="kills of drivers (default: 50)")
    parser.add_argument("--executor-kills", type=int, default=20, help="kills of executors (default: 20)")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32), help="repeats events and waits")
    parser.add_argument("--files", type=int, default=30, help="files of the input (default: 30)")
    parser.add_argument("--folder", type=Path, default=ROOT / "target" / "chaos", help="is deleted first")
    return parser.parse_args(argv)


def main(argv=None):
    options = arguments(argv)
    os.environ.setdefault("SPARK_SUBMIT_OPTS", fast_start.options())
    print(f"seed {options.seed}", flush=True)
    done = []
    try:
        for figures in figures_of(options):
            print(
                f"killed: {figures.killed}, state: {figures.state}, kills: {figures.tally.kills}",
                file=sys.stderr,
            )
            done.append(figures)
    except JobFailedError as failed:
        print(failed)
        return 1
    finally:
        print(table(done))
    wrong = [line for figures in done for line in figures.differences]
    totals = {what: sum(f.tally.kills for f in done if f.killed == what) for what in ("driver", "executor")}
    print(f"{totals['driver']} kills of drivers, {totals['executor']} of executors, {len(wrong)} differences")
    if wrong:
        print("\n".join(wrong[:SHOWN]), f"\nThe jobs are left in {options.folder}")
        return 1
    shutil.rmtree(options.folder)
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that nothing is left running
    sys.exit(main())
