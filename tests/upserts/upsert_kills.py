"""Kill a job that upserts within a write and behind one, again and again, and compare the table with a plain loop.

    python tests/upserts/upsert_kills.py --kills 20 --stores delta postgres

`make chaos-upserts` runs it; the tests run a few kills.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import psycopg

from postgres_server import PostgresServer
from upsert_session import STORES

sys.path.append(str(Path(__file__).parents[1] / "platforms"))
import fast_start

HERE = Path(__file__).parent
PATIENCE = 300  # seconds in which something must happen
GAP = 10  # seconds
SLOW = (  # an insert takes a while, so that a kill meets it
    'CREATE TABLE visits ("user" text, n bigint, window_start timestamptz, window_end timestamptz, pane jsonb)',
    'ALTER TABLE visits ADD UNIQUE NULLS NOT DISTINCT (window_start, window_end, "user")',
    "CREATE FUNCTION wait() RETURNS trigger AS 'BEGIN PERFORM pg_sleep(0.01); RETURN NEW; END' LANGUAGE plpgsql",
    "CREATE TRIGGER w BEFORE INSERT ON visits FOR EACH ROW EXECUTE FUNCTION wait()",
)


def visits(seed, batches):
    """User and second, a list for each micro-batch: in no order, so that sessions merge again and again."""
    chance = random.Random(seed)
    users = ["a", "b", None]
    return [
        [(chance.choice(users), chance.randrange(80 * batches)) for _ in range(20)] for _ in range(batches)
    ]


def model(rows):
    """The sessions of all visits: user, start, end, count."""
    sessions = []
    for user in {user for user, _ in rows}:
        times = sorted(second for who, second in rows if who == user)
        cuts = [0, *(i + 1 for i, (a, b) in enumerate(pairwise(times)) if b - a > GAP), len(times)]
        sessions += [(user, times[i], times[j - 1] + GAP, j - i) for i, j in pairwise(cuts)]
    return sorted(sessions, key=str)


class Delta:
    """What is in the table, seen from outside."""

    def __init__(self, folder):
        self._folder = folder

    def written(self):
        """The micro-batches that are in the table, in the order in which they came."""
        versions = sorted(self._folder.glob("table/_delta_log/*.json"))
        actions = [json.loads(line) for path in versions for line in path.read_text().splitlines()]
        return [action["txn"]["version"] for action in actions if "txn" in action]

    def parts(self):
        """What a write makes before it is there."""
        return set(self._folder.glob("table/*.parquet"))

    def rows(self):
        return json.loads((self._folder / "found").read_text())

    def close(self):
        """Nothing is open."""


class Iceberg(Delta):
    def written(self):
        table = self._folder / "lake" / "shop" / "visits" / "metadata"
        hint = table / "version-hint.text"
        if not hint.exists() or not (number := hint.read_text()):
            return []
        newest = json.loads((table / f"v{number}.metadata.json").read_text())
        summaries = [snapshot["summary"] for snapshot in newest["snapshots"]]
        return [int(summary["spark-windowing.batch-id"]) for summary in summaries]

    def parts(self):
        return set(self._folder.glob("lake/shop/visits/data/**/*.parquet"))


class Postgres:
    def __init__(self, server):
        self._server = server
        with psycopg.connect(server.connection(), autocommit=True) as connection:
            connection.execute("DROP DATABASE IF EXISTS shop WITH (FORCE)")
            connection.execute("CREATE DATABASE shop")
        self._ask(*SLOW)
        self._watch = psycopg.connect(server.connection(), autocommit=True)

    def close(self):
        self._watch.close()

    def _ask(self, *statements):
        with psycopg.connect(self._server.connection("shop")) as shop:
            for statement in statements:
                cursor = shop.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def written(self):
        if self._ask("SELECT to_regclass('spark_windowing_batches')") == [(None,)]:
            return []
        last = self._ask("SELECT max(batch_id) FROM spark_windowing_batches")[0][0]
        return [] if last is None else list(range(last + 1))

    def parts(self):
        running = self._watch.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = 'shop' AND state = 'active' AND query LIKE 'INSERT INTO \"public\".\"visits\"%'"
        )
        return set(running.fetchall())

    def rows(self):
        bounds = "extract(epoch FROM window_start)::int, extract(epoch FROM window_end)::int"
        return self._ask(f'SELECT "user", {bounds}, n FROM visits')


class Job:
    """The job of killed.py, and what can be seen of it from outside."""

    def __init__(self, folder, store, way, server=None):
        self._folder = folder
        self.table = (
            Postgres(server) if store == "postgres" else {"delta": Delta, "iceberg": Iceberg}[store](folder)
        )
        port = [str(server.port)] if store == "postgres" else []
        self._command = [sys.executable, HERE / "killed.py", folder, store, way, *port]
        self._process = None

    def start(self):
        self._parts, self._written = self.table.parts(), len(self.table.written())
        with (self._folder / "log").open("a") as log:
            environment = {
                **os.environ,
                "PYSPARK_PYTHON": sys.executable,
                "SPARK_LOCAL_IP": "127.0.0.1",
                "SPARK_SUBMIT_OPTS": fast_start.options(),
            }
            self._process = subprocess.Popen(
                self._command, stdout=log, stderr=log, start_new_session=True, env=environment
            )

    def wait(self, until):
        """Wait until something is so, or the job has ended; whether it still runs."""
        end = time.monotonic() + PATIENCE
        while not until():
            if self._process.poll() is not None:
                return False
            assert time.monotonic() < end, self.log()
            time.sleep(0.002)
        return True

    def kill(self):
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        time.sleep(0.5)  # the JVM ends a moment later

    def finish(self):
        """Let it run to its end."""
        self.wait(lambda: False)
        assert self._process.returncode == 0, self.log()

    def is_within(self):
        """Whether a write has begun in this run that is not in the table."""
        return bool(self.table.parts() - self._parts) and len(self.table.written()) == self._written

    def is_behind_one(self):
        """Whether the table has a micro-batch that the query has not finished."""
        commits = self._folder.glob("checkpoint/commits/*")
        return len(self.table.written()) > sum(path.name.isdigit() for path in commits)

    def log(self):
        return (self._folder / "log").read_text()[-4000:]


def course(folder, store, way, points, seed=11, server=None, say=lambda text: None):
    """Run the job, kill it at each of the points, "within" or "behind", and let it end.

    Returns the kills that met their point; the table has each micro-batch once and equals the model.
    """
    batches = visits(seed, len(points) + 2)
    (folder / "in").mkdir()
    for number, batch in enumerate(batches):
        path = folder / "in" / f"{number:03}.json"
        path.write_text("\n".join(json.dumps({"user": user, "second": second}) for user, second in batch))
        os.utime(path, (number, number))
    job, met = Job(folder, store, way, server), []
    with closing(job.table):
        for point in points:
            job.start()
            seen = {"within": job.is_within, "behind": job.is_behind_one}[point]
            try:
                running = job.wait(seen)
            finally:
                job.kill()
            if not running:
                break
            met.append(point)
            say(
                f"{store}, {way}: killed {point} a write; the table has {len(job.table.written())} micro-batches"
            )
        job.start()
        job.finish()
        assert job.table.written() == list(range(len(batches))), job.table.written()
        found = sorted((tuple(row) for row in job.table.rows()), key=str)
        assert found == model([visit for batch in batches for visit in batch]), found
    return met


def show(text):
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=20, help="for each store")
    parser.add_argument("--stores", nargs="+", default=STORES, choices=STORES)
    parser.add_argument("--seed", type=int, default=11)
    chosen = parser.parse_args()
    for store in chosen.stores:
        for way, share in (("function", (chosen.kills + 1) // 2), ("sink", chosen.kills // 2)):
            with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as data:
                points = [("within", "behind")[number % 2] for number in range(share)]
                if store == "postgres":
                    with PostgresServer(Path(data)) as server:
                        met = course(Path(folder), store, way, points, chosen.seed, server, show)
                else:
                    met = course(Path(folder), store, way, points, chosen.seed, say=show)
            show(
                f"{store}, {way}: {len(met)} kills, the table equals the model, each micro-batch is there once"
            )


if __name__ == "__main__":
    main()
