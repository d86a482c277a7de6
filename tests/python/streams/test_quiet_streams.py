"""Streams that go quiet, on running queries and by the real clock."""

import json
import os
import time
from datetime import datetime, timedelta, timezone

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from shared_list import SharedList

pytestmark = pytest.mark.spark

IN_ORDER = sw.WatermarkStrategy.for_monotonous_timestamps()


class Devices:
    """A folder of JSON files, and queries over it: each is told what it has put out, and stopped at the end."""

    def __init__(self, spark, folder):
        self._spark, self._folder, self._files = spark, folder, 0
        (folder / "in").mkdir()
        self.rows, self.running = SharedList(folder), None

    def add(self, *rows):
        lines = [json.dumps({"device": device, "ts": at.isoformat()}) for device, at in rows]
        file = self._folder / "in" / f"{self._files}.json"
        file.with_suffix(".part").write_text("\n".join(lines))
        os.utime(file.with_suffix(".part"), (self._files, self._files))  # Spark takes files by age
        file.with_suffix(".part").rename(file)
        self._files += 1

    def stream(self, **options):
        reader = self._spark.readStream.schema("device string, ts timestamp").options(**options)
        return reader.json(str(self._folder / "in" / "*.json"))

    def start(self, result, trigger=None, before=lambda: None):
        rows = self.rows  # not self: a server takes the function, and no session

        def keep(batch, _):
            before()
            rows.extend(batch.collect())

        writer = result.writeStream.foreachBatch(keep)
        writer = writer.option("checkpointLocation", str(self._folder / "checkpoint"))
        self.running = (writer.trigger(**trigger) if trigger else writer).start()
        return self.running

    def until(self, count, seconds=60):
        """Wait until that many rows were put out, and a moment for more."""
        end = time.monotonic() + seconds
        while len(self.rows) < count and time.monotonic() < end:
            assert self.running.isActive, self.running.exception()
            time.sleep(0.05)
        time.sleep(0.5)
        assert len(self.rows) == count
        return self.rows


@pytest.fixture
def devices(spark, tmp_path):
    made = Devices(spark, tmp_path)
    yield made
    if made.running is not None:
        made.running.stop()


def now():
    return datetime.now(timezone.utc)


def beats(df, assigner):
    return sw.key_by(df, "device").window(assigner).with_pane().aggregate(F.count("*").alias("n"))


def utc(naive):
    """A timestamp of a collected row."""
    return naive.astimezone(timezone.utc)


def test_the_last_window_closes_when_the_timeout_is_over(devices):
    idle = sw.assign_timestamps_and_watermarks(
        devices.stream(), IN_ORDER.with_idleness("1 second"), time="ts"
    )
    devices.start(beats(idle, sw.TumblingEventTimeWindows.of("1 second")))
    devices.add(("a", now()), ("a", now()))
    (row,) = devices.until(1)
    late_by = utc(row.pane.fired_at) - utc(row.window.end)
    assert row.n == 2
    assert late_by >= timedelta(seconds=1)  # the tests with a driven clock say when exactly


def test_silent_devices_are_told_once_after_restarts_without_rows(devices):
    def job():
        clocked = sw.with_clock(devices.stream(), every="500 ms")
        return beats(clocked, sw.ProcessingTimeSessionWindows.with_gap("4 seconds"))

    def runs_until_its_rows_are_in():
        query = devices.start(job())
        while not any(told["stateOperators"][0]["numRowsUpdated"] for told in query.recentProgress):
            assert query.isActive, query.exception()
            time.sleep(0.02)
        query.stop()

    for device in "abc":
        devices.add((device, now()))
        runs_until_its_rows_are_in()
    assert "c" not in [row.device for row in devices.rows]
    devices.start(job())
    devices.until(3)
    assert sorted((row.device, row.n) for row in devices.rows) == [("a", 1), ("b", 1), ("c", 1)]
    devices.running.stop()
    devices.start(job())
    devices.until(3)


def test_a_backlog_that_is_read_slowly_is_not_idle(devices):
    start = datetime(2030, 1, 1, tzinfo=timezone.utc)
    for second in range(4):
        devices.add(("a", start + timedelta(seconds=second)))
    strategy = IN_ORDER.with_idleness("300 ms", bounded_by_clock=False)
    idle = sw.assign_timestamps_and_watermarks(devices.stream(maxFilesPerTrigger=1), strategy, time="ts")
    devices.start(beats(idle, sw.TumblingEventTimeWindows.of("1 second")), before=lambda: time.sleep(0.5))
    devices.until(4)
    assert [row.n for row in devices.rows] == [1] * 4


def test_available_now_ends_with_a_clock_and_idle_inputs(devices):
    devices.add(("a", now()))
    strategy = IN_ORDER.with_idleness("100 ms")
    idle = sw.assign_timestamps_and_watermarks(devices.stream(), strategy, time="ts")
    result = beats(sw.with_clock(idle, every="1 ms"), sw.TumblingEventTimeWindows.of("1 second"))
    for _ in range(2):
        query = devices.start(result, {"availableNow": True})
        assert query.awaitTermination(60)
    assert devices.rows == []


def test_a_clock_adds_no_rows_and_no_columns(devices):
    stream = devices.stream()
    clocked = sw.with_clock(stream, every="100 ms")
    assert clocked.schema == stream.schema
    devices.start(clocked.select("device"))
    devices.add(("a", now()))
    devices.until(1)
    end = time.monotonic() + 20
    while devices.running.lastProgress["batchId"] < 3 and time.monotonic() < end:
        time.sleep(0.05)
    assert devices.running.lastProgress["batchId"] >= 3
    assert [row.device for row in devices.rows] == ["a"]
    sources = [source["description"] for source in devices.running.lastProgress["sources"]]
    assert "clock without rows, every 100 ms" in sources


def test_a_static_dataframe_has_no_clock(clicks):
    with pytest.raises(ValueError, match="Take with_clock away"):
        sw.with_clock(clicks, "1 second")
    with pytest.raises(TypeError, match="every must be a duration"):
        sw.with_clock(clicks, 5)


def test_simulate_and_explain_take_a_stream_with_a_clock_and_idle_inputs(devices, capsys):
    idle = sw.assign_timestamps_and_watermarks(devices.stream(), IN_ORDER.with_idleness("1 s"), time="ts")
    result = beats(sw.with_clock(idle, "1 second"), sw.TumblingEventTimeWindows.of("1 second"))
    run = sw.simulate(result, [sw.sim.element(device="a", ts=500), sw.sim.watermark(999)])
    assert [row.n for row in run.steps[-1].main] == [1]
    sw.explain(result)
    assert "fires: in the micro-batch whose rows complete the window" in capsys.readouterr().out
