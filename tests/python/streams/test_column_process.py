"""Process functions of columns: on streams and static DataFrames, beside Spark's own, and refused."""

import json
import os
import re

import pyspark
import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from shared_list import SharedList
from spark_windowing import sim

pytestmark = pytest.mark.spark

has_transform_with_state = pytest.mark.skipif(
    pyspark.__version__.startswith("3.5."), reason="Spark 3.5 has no transformWithState"
)
SCHEMA = "device string, at long"


def visits():
    """Rows of a device within five seconds of each other: their number and the last one, when it has been silent."""
    silence = F.expr("INTERVAL 5 SECONDS")
    ended = lambda state: F.struct(state.n, state.last)  # noqa: E731

    def on_element(row, state):
        over = row.ts >= state.last + silence
        n = F.when(over, 1).otherwise(state.n + 1)
        last = F.when(over, row.ts).otherwise(F.greatest(state.last, row.ts))
        return sw.Do(
            state=F.struct(n.alias("n"), last.alias("last")),
            emit=F.when(over, ended(state)),
            event_timer=last + silence,
        )

    return sw.ColumnProcess.of(
        state=lambda: F.struct(F.lit(0).alias("n"), F.lit(None).cast("timestamp").alias("last")),
        on_element=on_element,
        on_event_timer=lambda state: sw.Do(state=None, emit=ended(state)),
    )


def files(folder, seconds, per_file):
    """Rows in order of time, of three devices that pause now and then; the last row ends all."""
    folder.mkdir(exist_ok=True)
    rows = [
        {"device": d, "at": tick * 1000 + 100 * i}
        for tick in range(1, seconds)  # Spark's own drops rows of the time 0
        for i, d in enumerate("abc")
        for _ in range(1 + tick % 2)
        if (tick // (6 + i)) % 2 == 0
    ]
    for number in range(0, seconds, per_file):
        lines = [row for row in rows if number * 1000 <= row["at"] < (number + per_file) * 1000]
        last = [{"device": "end", "at": 10**7}] if number + per_file >= seconds else []
        path = folder / f"{number:03}.json"
        path.write_text("\n".join(json.dumps(row) for row in lines + last))
        os.utime(path, (number, number))


def stream(spark, folder):
    rows = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(str(folder))
    return rows.select("device", F.timestamp_millis("at").alias("ts")).withWatermark("ts", "0 seconds")


def ran(result, checkpoint):
    """All rows that a query puts out until it has read everything there is."""
    found = SharedList(checkpoint.parent)
    query = (
        result.writeStream.foreachBatch(lambda batch, _: found.extend(batch.collect()))
        .option("checkpointLocation", str(checkpoint))
        .outputMode("append")
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return found.read()


def plain(rows):
    return sorted((row.device, row.n, row.last.timestamp()) for row in rows if row.device != "end")


def test_a_stream_gives_the_rows_of_the_static_dataframe(spark, tmp_path):
    folder = tmp_path / "in"
    files(folder, 40, 20)
    rows = spark.read.schema(SCHEMA).json(str(folder)).select("device", F.timestamp_millis("at").alias("ts"))
    static = plain(sw.key_by(rows, "device", time="ts").process(visits()).collect())
    assert len(static) > 9
    streamed = ran(sw.key_by(stream(spark, folder), "device").process(visits()), tmp_path / "checkpoint")
    assert plain(streamed) == static


@has_transform_with_state
def test_equal_rows_by_spark_s_own_transform_with_state_in_pandas(spark, tmp_path):
    import pandas as pd
    from pyspark.sql.streaming import StatefulProcessor

    class Visits(StatefulProcessor):
        def init(self, handle):
            self.handle = handle
            self.state = handle.getValueState("visit", "n int, last long")

        def handleInputRows(self, key, rows, timerValues):  # noqa: N802, N803
            out = []
            for frame in rows:
                for ts in sorted(frame.ts):
                    at = ts.value // 1_000_000
                    n, last = self.state.get() if self.state.exists() else (0, None)
                    if last is not None:
                        self.handle.deleteTimer(last + 5000)
                        if at >= last + 5000:
                            out.append((key[0], n, last))
                            n, last = 0, None
                    last = at if last is None else max(at, last)
                    self.state.update((n + 1, last))
                    self.handle.registerTimer(last + 5000)
            yield pd.DataFrame(out, columns=["device", "n", "last"])

        def handleExpiredTimer(self, key, timerValues, expiredTimerInfo):  # noqa: N802, N803
            n, last = self.state.get()
            self.state.clear()
            yield pd.DataFrame([(key[0], n, last)], columns=["device", "n", "last"])

        def close(self):
            pass

    folder = tmp_path / "in"
    files(folder, 30, 15)
    by_hand = (
        stream(spark, folder)
        .groupBy("device")
        .transformWithStateInPandas(Visits(), "device string, n int, last long", "append", "eventTime")
        .select("device", "n", F.timestamp_millis("last").alias("last"))
    )
    provider = "spark.sql.streaming.stateStore.providerClass"
    rocks = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    spark.conf.set(provider, rocks)
    try:
        expected = plain(ran(by_hand, tmp_path / "spark"))
    finally:
        spark.conf.unset(provider)
    ours = sw.key_by(stream(spark, folder), "device").process(visits())
    assert plain(ran(ours, tmp_path / "ours")) == expected
    assert len(expected) > 5


@has_transform_with_state
def test_spark_s_transform_with_state_before_windows(spark, tmp_path):
    """As the documentation shows it."""
    import pandas as pd
    from pyspark.sql.streaming import StatefulProcessor

    class First(StatefulProcessor):
        def init(self, handle):
            self.seen = handle.getValueState("seen", "seen boolean")

        def handleInputRows(self, key, rows, timerValues):  # noqa: N802, N803
            for frame in rows:
                if not self.seen.exists():
                    self.seen.update((True,))
                    yield pd.DataFrame({"device": [key[0]], "ts": [frame.ts.min()]})

        def close(self):
            pass

    folder = tmp_path / "in"
    files(folder, 10, 10)
    firsts = (
        stream(spark, folder)
        .groupBy("device")
        .transformWithStateInPandas(
            First(), "device string, ts timestamp", "append", "eventTime", eventTimeColumnName="ts"
        )
    )
    windows = (
        sw.key_by(firsts, F.lit(1).alias("all")).time_window("10 seconds").aggregate(F.count("*").alias("n"))
    )
    provider = "spark.sql.streaming.stateStore.providerClass"
    rocks = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    spark.conf.set(provider, rocks)
    try:
        assert [row.n for row in ran(windows, tmp_path / "checkpoint")] == [3]
    finally:
        spark.conf.unset(provider)


@pytest.fixture
def keyed(clicks):
    return sw.key_by(clicks, "user", time="ts")


def test_sql_text_side_outputs_and_a_window_over_the_results(keyed):
    dear = sw.ColumnProcess.of(
        state="struct(0 AS most)",
        on_element=sw.Do(
            state="struct(greatest(state.most, row.price) AS most)",
            emit="if(row.price > state.most, struct(row.price), null)",
            side={
                "cheap": "if(row.price <= state.most, struct(ctx.key.user AS who, ctx.timestamp AS at), null)"
            },
        ),
    )
    result = keyed.process(dear)
    assert result.columns == ["user", "event_time", "price"]
    assert sorted((r.user, r.price) for r in result.collect()) == [("a", 3), ("a", 4), ("a", 5), ("b", 7)]
    assert sw.side_output(result, "cheap").collect() == []
    windows = sw.key_by(result, "user").time_window("10 seconds").aggregate(F.sum("price").alias("sum"))
    assert sorted((r.user, r.sum) for r in windows.collect()) == [("a", 5), ("a", 7), ("b", 7)]


def test_the_contract_of_timers_in_a_simulation(spark):
    """A timer is replaced, deleted by null, kept where nothing is given; a picture shows it."""
    beats = spark.createDataFrame([], "device string, ts timestamp, kind string")
    watched = sw.ColumnProcess.of(
        on_element=lambda row, ctx: sw.Do(
            event_timer=F.when(row.kind != "off", row.ts + F.expr("INTERVAL 10 SECONDS")),
            processing_timer=ctx.processing_time + F.expr("INTERVAL 5 SECONDS"),
        ),
        on_event_timer=lambda time: sw.Do(emit=F.struct(F.lit("late").alias("what"), time.alias("at"))),
        on_processing_timer=sw.Do(emit="struct('idle' AS what, time AS at)"),
    )
    result = sw.key_by(beats, "device", time="ts").process(watched)

    def beat(second, kind="on"):
        return sim.element(device="x", ts=second * 1000, kind=kind)

    steps = [sim.processing_time(0), beat(1), beat(5), sim.watermark(11_000), sim.watermark(15_000)]
    run = sw.simulate(result, [*steps, sim.processing_time(5000), beat(20), beat(21, "off"), sim.end()])
    shown = [[(r.what, r.at.timestamp()) for r in step.main] for step in run.steps]
    assert shown == [[], [], [], [], [("late", 15)], [("idle", 5)], [], [], []]
    assert [(s.event_timers, s.processing_timers) for s in run.steps] == [
        (0, 0), (1, 1), (1, 1), (1, 1), (0, 1), (0, 0), (1, 1), (0, 1), (0, 1),
    ]  # fmt: skip
    kinds = [(e.kind, e.time, e.detail) for e in run.steps[2].events if e.kind.startswith("timer")]
    assert kinds == [("timer_deleted", 11_000, "event_time"), ("timer_set", 15_000, "event_time")]
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt

    ax = run.plot()
    drawn = [line.get_gid() for line in ax.lines if line.get_gid() is not None]
    assert [drawn.count(f"timer_{kind}") for kind in ("set", "deleted", "fired")] == [5, 2, 2]
    assert any("what=late" in text.get_text() for text in ax.texts)
    plt.close("all")


def test_explain_and_read_state(spark, tmp_path, capsys):
    folder = tmp_path / "in"
    files(folder, 3, 3)
    result = sw.key_by(stream(spark, folder), "device").process(visits())
    sw.explain(result)
    shown = capsys.readouterr().out
    assert (
        "functions: ColumnProcess.of(state = struct(0, CAST(NULL AS TIMESTAMP)), on_element = Do(state = "
        in shown
    )
    ran(result, tmp_path / "checkpoint")
    (row,) = sw.read_state(spark, str(tmp_path / "checkpoint")).where("key.device = 'end'").collect()
    assert (row.kind, json.loads(row.state)["state"]["n"]) == ("key", 1)
    assert row.next_event_timer.timestamp() == 10_005


EMIT = sw.Do(emit="struct(1 AS n)")
REFUSED = {
    "a Python function": (lambda s: s.process(lambda key, rows: None), "transformWithStateInPandas"),
    "apply": (
        lambda s: s.applyInPandas(len, "n int"),
        "a KeyedStream has no applyInPandas(). A Python function takes",
    ),
    "a schema": (
        lambda s: s.process(sw.ColumnProcess.of(on_element=EMIT), "n int"),
        "schema and side_outputs belong",
    ),
    "no schema": (
        lambda s: s.process(sw.jvm("com.acme.X")),
        'process needs the schema of its result: schema="total',
    ),
    "no class": (lambda s: s.process(sw.jvm("com.acme.X"), "n int"), "there is no class com.acme.X"),
    "another class": (
        lambda s: s.process(sw.CountTrigger.of(1), "n int"),
        "process takes a ColumnProcess, got CountT",
    ),
    "no Do": (
        lambda s: s.process(sw.ColumnProcess.of(on_element=lambda row: row.price)),
        "ColumnProcess: on_element must return a Do",
    ),
    "other names": (
        lambda s: sw.ColumnProcess.of(on_element=lambda r, s: EMIT),
        "on_element takes columns by their names, any of row, state, ctx, got r, s",
    ),
    "row of a timer": (
        lambda s: sw.ColumnProcess.of(on_element=EMIT, on_event_timer=lambda row: EMIT),
        "any of time, state, ctx, got row",
    ),
    "no state": (
        lambda s: sw.ColumnProcess.of(on_element=lambda row, state: EMIT),
        "on_element takes state, and the key has none: add state=",
    ),
    "not a call": (
        lambda s: sw.ColumnProcess.of(on_element="emit"),
        "must be a Do or a function of Columns, got 'emit'",
    ),
    "a value": (lambda s: sw.Do(event_timer=5), "Do: event_timer must be SQL text or a Column, got 5"),
    "no dict": (lambda s: sw.Do(side="late"), "Do: side must be a dict such as"),
    "a tag": (lambda s: sw.Do(side={1: "struct(1)"}), "Do: the tag of a side output must be text, got 1"),
    "a side": (lambda s: sw.Do(side={"late": 3}), "Do: side['late'] must be SQL text or a Column, got 3"),
    "a clock": (
        lambda s: sw.ColumnProcess.of(on_element=EMIT, ttl="1 day", ttl_clock="time"),
        "ColumnProcess: ttl_clock must be one of 'event_time', 'processing_time', got 'time'",
    ),
    "a ttl": (lambda s: sw.ColumnState.of("struct(1 AS n)", "state", ttl="soon"), "ttl must be a duration"),
    "no state of the ttl": (
        lambda s: s.process(sw.ColumnProcess.of(on_element=EMIT, ttl="1 day")),
        "ttl is that of the state, and there is none",
    ),
    "nothing of ttl": (
        lambda s: s.process(sw.ColumnProcess.of(on_element=EMIT, state="struct(1 AS n)", ttl="0 seconds")),
        "ColumnProcess: ttl must be positive",
    ),
    "if": (
        lambda s: s.process(
            sw.ColumnProcess.of(on_element=lambda row: EMIT if row.price > 1 else sw.Do(emit=None))
        ),
        "write F.when(condition, x).otherwise(y)",
    ),
    "types of results": (
        lambda s: s.process(
            sw.ColumnProcess.of(
                on_element=sw.Do(emit="struct('x' AS n)", event_timer="row.ts"), on_event_timer=EMIT
            )
        ),
        "emit of on_element gives 'n' as STRING, and emit of the other calls has it as INT",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(keyed, name):
    call, message = REFUSED[name]
    with pytest.raises((TypeError, ValueError, AttributeError), match=re.escape(message)):
        call(keyed)


def test_values():
    text = "struct(row.price AS n)"
    assert sw.Do(emit=text, side={"x": text}) == sw.Do(emit=text, side={"x": text})
    assert sw.Do(event_timer=None) != sw.Do()
    assert repr(sw.Do(state=None, side={"x": text})) == f"Do(state=None, side={{'x': {text!r}}})"
    function = sw.ColumnProcess.of(on_element=sw.Do(emit=text), state="struct(0 AS n)", ttl="7 days")
    assert function == sw.ColumnProcess.of(on_element=sw.Do(emit=text), state="struct(0 AS n)", ttl="1 week")
    assert repr(function) == (
        f"ColumnProcess.of(on_element=Do(emit={text!r}), state='struct(0 AS n)', ttl=\"7 days\")"
    )
