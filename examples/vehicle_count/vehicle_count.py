"""Vehicles at toll gates, from Kafka to Redis, with servers of its own: `make example-vehicle-count`."""

from __future__ import annotations

import argparse
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

import redis

from in_redis import counts, not_counted, print_busiest
from job_process import JobProcess
from passages import FASTER, count, passages
from redis_sink import connect
from replay import Replay, create_topic
from servers import Broker, RedisServer

if TYPE_CHECKING:
    from passages import Passage

FOLDERS = ("kafka", "redis", "checkpoint")
TOPIC = "passages"
PARTITIONS = 2
PATIENCE = 180  # seconds in which something must come to Redis
SECONDS_BETWEEN_LINES = 10


def main() -> None:
    """Replay two weeks, show what comes to Redis, and compare it with the passages themselves."""
    options = arguments()
    out = options.out.resolve()
    for name in FOLDERS:
        shutil.rmtree(out / name, ignore_errors=True)
    out.mkdir(parents=True, exist_ok=True)
    (out / "job.log").unlink(missing_ok=True)
    sent = passages(options.first, options.days)
    minutes = options.days * 24 * 60 // FASTER
    print(f"{len(sent):,} passages in {minutes} minutes of event time, {options.speed:g} times as fast")

    with Broker(out / "kafka") as broker, RedisServer(out / "redis") as server:
        create_topic(broker.address, TOPIC, PARTITIONS)
        print(f"Kafka on {broker.address}, Redis on {server.url}, logs and data in {out}")
        options_of_job = [
            f"--kafka={broker.address}",
            f"--redis={server.url}",
            f"--checkpoint={out}/checkpoint",
        ]
        # Small micro-batches: the watermark moves between them only, and moves fast here.
        options_of_job += [f"--topic={TOPIC}", "--max-offsets=500"]
        client = connect(server.url)
        with (
            Replay(sent, broker.address, TOPIC, options.speed) as replay,
            JobProcess(options_of_job, out / "job.log") as job,
        ):
            follow(replay, job, client, out / "checkpoint")
        print_busiest(client)
        print(f"The job was started again {job.restarts} times")
        compare(sent, replay.messages, client)


def follow(replay: Replay, job: JobProcess, client: redis.Redis, checkpoint: Path) -> None:
    """Send, and print what is in Redis now and then, until every message has come to a place there."""
    while not (checkpoint / "metadata").exists():  # the query has not started
        job.keep_running()
        time.sleep(0.1)
    next_line, placed, deadline = 0.0, None, float("inf")
    sending = True
    while time.monotonic() < deadline:
        if sending and not replay.send_due():
            sending = False
            print("All are sent: no message moves the watermark any more, only the clock closes what is open")
        job.keep_running()
        if time.monotonic() >= next_line:
            next_line = time.monotonic() + SECONDS_BETWEEN_LINES
            before, placed = placed, show(client)
            if placed == replay.messages and not sending:
                return
            if placed != before:
                deadline = time.monotonic() + PATIENCE
        time.sleep(0.05)


def show(client: redis.Redis) -> int | None:
    """Print how much is in Redis; return how many messages that are, or None if it does not answer."""
    try:
        vehicles, others = sum(counts(client).values()), client.hlen("not_counted")
        print(f"Redis: {client.zcard('windows'):,} windows, {vehicles:,} vehicles, {others:,} not counted")
    except redis.ConnectionError:
        print("Redis does not answer")
        return None
    return vehicles + others


def compare(sent: list[Passage], messages: int, client: redis.Redis) -> None:
    """Compare each count in Redis with the passages themselves, less those that Redis has as not counted."""
    others = not_counted(client)
    found = counts(client)
    expected = count(sent)
    expected.subtract((row["tollgateID"], row["window"]) for row in others if row["window"] is not None)
    wrong = sorted(key for key in expected.keys() | found.keys() if expected[key] != found[key])
    print(f"{len(found):,} counts of a toll gate and a window compared, {len(wrong)} wrong")
    if wrong or sum(found.values()) + len(others) != messages:
        raise SystemExit(f"Redis does not hold what was sent, {messages:,} messages: {wrong[:5]}")
    print(f"Each of {messages:,} messages is in one count or not counted")


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", default="2013-07-01", help="the first day; default: %(default)s")
    parser.add_argument("--days", type=int, default=14, help="default: %(default)s")
    parser.add_argument(
        "--speed", type=float, default=300, help="of event time to the clock; default: %(default)s"
    )
    parser.add_argument("--out", type=Path, default=Path("target/vehicle_count"), help="default: %(default)s")
    return parser.parse_args()


if __name__ == "__main__":
    main()
