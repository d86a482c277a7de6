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


def test_silent_devices_are_told_once_after_a_restart_without_rows(devices):
    def job():
        clocked = sw.with_clock(devices.stream(), every="500 ms")
        return beats(clocked, sw.ProcessingTimeSessionWindows.with_gap("2 seconds"))

    devices.add(*((device, now()) for device in "abc"))
    devices.start(job(), trigger={"availableNow": True}).awaitTermination()
    devices.start(job())
    devices.until(3)
    assert sorted((row.device, row.n) for row in devices.rows) == [("a", 1), ("b", 1), ("c", 1)]


def test_a_static_dataframe_has_no_clock(clicks):
    with pytest.raises(ValueError, match="Take with_clock away"):
        sw.with_clock(clicks, "1 second")
    with pytest.raises(TypeError, match="every must be a duration"):
        sw.with_clock(clicks, 5)


def test_simulate_and_explain_take_a_stream_with_a_clock_and_idle_inputs(devices, capsys):
    idle = sw.assign_timestamps_and_watermarks(devices.stream(), IN_ORDER.with_idleness("1 s"), time="ts")
    clocked = sw.with_clock(idle, "1 second")
    assert clocked.schema == idle.schema
    result = beats(clocked, sw.TumblingEventTimeWindows.of("1 second"))
    run = sw.simulate(result, [sw.sim.element(device="a", ts=500), sw.sim.watermark(999)])
    assert [row.n for row in run.steps[-1].main] == [1]
    sw.explain(result)
    assert "fires: in the micro-batch whose rows complete the window" in capsys.readouterr().out
