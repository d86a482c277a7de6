"""`examples/vehicle_count`: from a Kafka broker to a Redis server, through a kill of the job and of Redis."""

import signal
import time
from collections import Counter
from types import SimpleNamespace

import pytest
import redis

import passages
import spark_windowing as sw
from in_redis import counts, not_counted
from job_process import JobProcess
from passages import WINDOW
from pipeline import passages_of, vehicle_counts
from redis_sink import RedisSink, connect
from replay import create_topic, send
from servers import Broker, RedisServer
from shared import CHECKPOINTS, second

pytestmark = pytest.mark.spark

DELAY, LATENESS = 300_000, 120_000  # milliseconds, those of the pipeline
MOST = 100  # messages of a micro-batch
UNREADABLE = [
    b"",
    b"\xff\xfe",
    b"[]",
    b"null",
    b'{"tollgateID": "A", "ti',
    b'{"time": 1372636803123}',
    b"[" * 5000,
]
TIMES = [b'"12:30"', b'"2013-02-31T00:00:03Z"', b"9" * 16, b"9" * 3000, b"-5", b"1.5", b"null", b'{"x": 1}']
NOT_COUNTED = [*UNREADABLE, *(b'{"tollgateID": "A", "time": ' + each + b"}" for each in TIMES)]

SETTINGS = {
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.streaming.checkpointFileManagerClass": CHECKPOINTS,
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with RedisServer(tmp_path_factory.mktemp("redis")) as running:
        yield running


@pytest.fixture
def client(server):
    with connect(server.url) as connected:
        connected.flushall()
        yield connected


@pytest.mark.classic("the job has a classic session of its own")
def test_a_killed_job_and_a_killed_redis_lose_and_double_nothing(server, client, tmp_path):
    counted, late, rows = settled(passages.passages("2013-07-05", 3))
    messages = [row.message() for row in rows]
    for place, broken in enumerate(NOT_COUNTED):
        messages.insert(97 * place, broken)
    without_time = sum(row.time is None for row in rows) + len(NOT_COUNTED)
    with Broker(tmp_path / "kafka") as broker:
        create_topic(broker.address, "passages", partitions=1)
        send(messages, broker.address, "passages")
        checkpoint = tmp_path / "checkpoint"
        with JobProcess(options(broker, server, checkpoint), tmp_path / "job.log") as job:
            await_(job, lambda: newest(checkpoint / "commits") >= 2)
            before = counts(client)
            server.kill()
            server.start()
            after = counts(client)
            assert before
            assert before.keys() <= after.keys()
            through = newest(checkpoint / "commits")
            await_(job, lambda: newest(checkpoint / "commits") >= through + 3)
            kill_inside_a_micro_batch(job, checkpoint)
            assert sum(counts(client).values()) < sum(counted.values())
            job.start()
            await_(job, lambda: sum(counts(client).values()) + client.hlen("not_counted") == len(messages))
    # Nothing comes after the last message, so the watermark stands: the clock has fired the windows that are open.
    assert max(start for _, start in counted) > max(row.time or 0 for row in rows) - DELAY
    assert counts(client) == counted
    others = not_counted(client)
    assert Counter((row["tollgateID"], row["window"]) for row in others if row["reason"] == "late") == late
    assert late.total() > MOST
    assert [row["reason"] for row in others].count("no event time") == without_time


def test_of_several_firings_of_a_window_the_last_stands(spark, client):
    RedisSink(client).write_counts(
        results(spark, ("A", 10, 2, 7), ("A", 10, 0, 3), ("A", 10, 1, 9), ("B", 20, 0, 1)), 0
    )
    assert counts(client) == {("A", 10_000): 7, ("B", 20_000): 1}


def test_a_micro_batch_that_is_written_again_changes_nothing(spark, client):
    sink, rows = RedisSink(client), results(spark, ("A", 10, 0, 3), ("A", 10, 1, 4), ("B", 20, 0, 1))
    late = sw.side_output(vehicle_counts(kafka(spark, b"{", b"[]")), "late")
    written = []
    for batch in (0, 0):
        sink.write_counts(rows, batch)
        sink.write_not_counted(late, batch)
        written.append({key: client.dump(key) for key in client.scan_iter()})
    assert written[0] == written[1]
    assert sorted(written[0]) == ["not_counted", "window:10000", "window:20000", "windows"]


def test_a_pipeline_has_no_more_commands_than_said_and_nothing_waits_for_the_next_one(spark, server):
    client = Counting.from_url(server.url, decode_responses=True)
    client.flushall()
    client.config_resetstat()
    RedisSink(client, commands=7).write_counts(
        results(spark, *((f"G{n}", n % 3, 0, n) for n in range(20))), 0
    )
    assert client.sizes == [7, 7, 7, 7, 7, 5]  # 20 counts, and each names its window
    calls = client.info("commandstats")
    assert (calls["cmdstat_hset"]["calls"], calls["cmdstat_zadd"]["calls"]) == (20, 20)
    assert counts(client) == {(f"G{n}", 1000 * (n % 3)): n for n in range(20)}


class Counting(redis.Redis):
    """Notes how many commands each pipeline has."""

    def pipeline(self, *args, **kwargs):
        self.sizes = getattr(self, "sizes", [])
        pipeline = super().pipeline(*args, **kwargs)
        execute = pipeline.execute
        pipeline.execute = lambda: self.sizes.append(len(pipeline)) or execute()
        return pipeline


def test_a_sink_waits_for_redis_as_long_as_it_has_patience(spark, server, client, monkeypatch):
    rows = results(spark, ("A", 10, 0, 3))
    server.kill()
    with pytest.raises(redis.ConnectionError):
        RedisSink(client, patience=0).write_counts(rows, 0)
    back_after_a_while = SimpleNamespace(monotonic=time.monotonic, sleep=lambda _: server.start())
    monkeypatch.setattr("redis_sink.time", back_after_a_while)
    RedisSink(client, patience=60).write_counts(rows, 0)
    assert counts(client) == {("A", 10_000): 3}


def test_messages_of_all_kinds_are_read_or_have_no_time(spark):
    readable = {
        b'{"tollgateID": "A", "time": "2013-07-01T00:00:03Z"}': ("A", 1372636803000),
        b'{"tollgateID": "A", "time": "2013-07-01T02:00:03.5+02:00"}': ("A", 1372636803500),
        b'{"tollgateID": 7, "time": 1372636803123, "lane": [1]}': ("7", 1372636803123),
        b'{"tollgateID": "7", "time": "1372636803123"}': ("7", 1372636803123),
    }
    read = passages_of(kafka(spark, *readable, *NOT_COUNTED, None)).selectExpr(
        "tollgateID", "unix_millis(time) time"
    )
    rows = [tuple(row) for row in read.collect()]
    assert rows[: len(readable)] == list(readable.values())
    assert len(rows) == len(readable) + len(NOT_COUNTED) + 1
    assert {time for _, time in rows[len(readable) :]} == {None}


def test_a_sink_needs_room_for_a_command(client):
    with pytest.raises(ValueError, match="commands must be positive, got 0"):
        RedisSink(client, commands=0)


def results(spark, *rows):
    """Main rows of the pipeline: toll gate, start of the window in seconds, index of the pane, vehicles."""
    schema = "tollgateID string, window struct<start timestamp>, pane struct<number long>, vehicles long"
    wide = [(gate, (second(start),), (index,), vehicles) for gate, start, index, vehicles in rows]
    return spark.createDataFrame(wide, schema)


def kafka(spark, *messages):
    """Messages as Spark's Kafka source gives them."""
    rows = [(0, offset, message) for offset, message in enumerate(messages)]
    return spark.createDataFrame(rows, "partition int, offset long, value binary")


def options(broker, server, checkpoint):
    """Those of job.py: no pause between micro-batches, early results soon."""
    return [
        f"--kafka={broker.address}",
        f"--redis={server.url}",
        f"--checkpoint={checkpoint}",
        "--trigger=0 seconds",
        "--early=3 seconds",
        f"--max-offsets={MOST}",
        "--commands=50",
        *(f"--conf={name}={value}" for name, value in SETTINGS.items()),
    ]


def settled(rows):
    """Take away the time of passages whose fate depends on where micro-batches are cut.

    A micro-batch takes at most MOST messages of the one partition, and its watermark is that of the messages
    before it. So for sure each passage is judged by those at least MOST places before it, and by none but
    those before it. One that is in time by all of them is counted, one that is late by the former is late.
    Returns the counts, the late ones by gate and window, and all passages.
    """
    counted, late, kept, highest = Counter(), Counter(), [], [0]
    for passage in rows:
        row, start = passage, passage.window()
        if start is not None:
            over = start + WINDOW - 1 + LATENESS
            if over > highest[-1] - DELAY - 1:
                counted[row.gate, start] += 1
            elif over <= highest[max(0, len(kept) - MOST + 1)] - DELAY - 1:
                late[row.gate, start] += 1
            else:
                row = passage._replace(time=None)
        kept.append(row)
        highest.append(max(highest[-1], row.time or 0))
    return counted, late, kept


def kill_inside_a_micro_batch(job, checkpoint):
    """Stop the job until it stands within a micro-batch, then kill it there."""
    for _ in range(1000):
        job.signal(signal.SIGSTOP)
        if newest(checkpoint / "offsets") > newest(checkpoint / "commits"):
            job.kill()
            return
        job.signal(signal.SIGCONT)
        time.sleep(0.01)
    raise AssertionError("the job was never within a micro-batch")


def newest(folder):
    """The number of the last micro-batch of one of the logs of a checkpoint; -1 if there is none."""
    return max((int(path.name) for path in folder.glob("*") if path.name.isdigit()), default=-1)


def await_(job, state, seconds=300):
    """Wait until something is so while the job runs."""
    end = time.monotonic() + seconds
    while not state():
        assert job.runs(), "the job has ended"
        assert time.monotonic() < end, "the job has not come so far"
        time.sleep(0.05)
