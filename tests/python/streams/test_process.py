"""Python functions behind the operator, once a firing."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Iterator  # noqa: TC003  (hints are read)
from datetime import date, datetime
from decimal import Decimal

import pandas as pd
import pytest
from pyspark import cloudpickle
from pyspark.sql import functions as F

import spark_windowing as sw
from shared_list import SharedList
from spark_windowing import sim
from spark_windowing._gateway.setup import gateway_of
from spark_windowing._streams.context import State
from spark_windowing._streams.process import python_function_of

pytestmark = pytest.mark.spark

# The workers know nothing of this folder.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  (as a row of Spark has it; the session's zone is UTC)


@pytest.fixture(autouse=True)
def utc(spark):
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    yield
    spark.conf.set("spark.sql.session.timeZone", before)


def clicks(spark, *rows):
    frame = spark.createDataFrame(list(rows), "user string, price int, second int")
    return frame.select("user", "price", F.timestamp_seconds("second").alias("ts"))


def windows(spark, *rows):
    return sw.key_by(clicks(spark, *rows), "user", time="ts").time_window("10 seconds")


def spread(key, context, elements):
    prices = elements.price
    return pd.DataFrame({"who": [key[0]], "spread": [prices.max() - prices.min()]})


def test_a_function_gets_key_window_and_elements(spark):
    seen = []

    def record(key, context, elements):
        seen.append((key, context, list(elements.columns), list(elements.price)))
        return pd.DataFrame({"n": [len(elements)]})

    rows = windows(spark, ("a", 1, 0), ("a", 5, 1), ("b", 2, 11))
    result = rows.process(record, "n long")
    assert result.columns == ["user", "window", "n"]
    run = sw.simulate(
        result,
        [sim.element(user="a", price=1, ts=0), sim.element(user="a", price=5, ts=1000), sim.watermark(9999)],
    )
    assert [row.n for row in run.steps[2].main] == [2]
    ((key, context, columns, prices),) = seen
    assert (key, columns, prices) == (("a",), ["user", "price", "ts"], [1, 5])
    assert tuple(context.window) == (EPOCH, EPOCH.replace(second=10))
    assert context.watermark == EPOCH.replace(second=9, microsecond=999000)
    assert (context.processing_time, context.window_state, context.global_state, context.pane) == (None,) * 4


def test_it_runs_in_batch(spark):
    rows = windows(spark, ("a", 1, 0), ("a", 5, 1), ("b", 2, 11))
    result = rows.process(spread, "who string, spread int")
    found = [(r.user, r.who, r.spread) for r in result.orderBy("user").collect()]
    assert found == [("a", "a", 4), ("b", "b", 0)]
    assert [
        r.at.second for r in result.select(F.window_time("window").alias("at")).orderBy("at").collect()
    ] == [
        9,
        19,
    ]


def test_a_function_gets_its_rows_as_an_iterator_if_its_hint_says_so(spark):
    def summed(key, window, parts: Iterator[pd.DataFrame]):
        for part in parts:
            yield pd.DataFrame({"n": [len(part)], "total": [part.price.sum()]})

    def first(key, context, parts: Iterator[pd.DataFrame]):
        return next(parts).head(1)[["price"]]

    rows = windows(spark, *((user, i, i) for i in range(20) for user in "ab"))
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", 4)
    try:
        made = rows.apply(summed, "n long, total long").collect()
        firsts = rows.process(first, "price int").collect()
        line = [sim.element(user="a", price=i, ts=i * 1000) for i in range(10)]
        simulated = sw.simulate(rows.apply(summed, "n long, total long"), [*line, sim.watermark(9999)])
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
    assert [(row.n, row.total) for row in simulated.steps[-1].main] == [(4, 6), (4, 22), (2, 17)]
    for user in "ab":
        for start, total in ((0, 45), (10, 145)):
            parts = [row for row in made if (row.user, row.window.start.second) == (user, start)]
            assert (sum(row.n for row in parts), sum(row.total for row in parts)) == (10, total)
            assert max(row.n for row in parts) <= 4
    assert sorted((row.user, row.price) for row in firsts) == [("a", 0), ("a", 10), ("b", 0), ("b", 10)]


def test_apply_sees_key_and_window(spark):
    def starts(key, window, elements):
        return pd.DataFrame({"start": [window.start] * len(elements)})

    rows = windows(spark, ("a", 1, 12), ("a", 5, 13))
    found = rows.apply(starts, "start timestamp").select("start").collect()
    assert [row.start for row in found] == [EPOCH.replace(second=10)] * 2


TYPES = (
    "flag boolean, tiny tinyint, big bigint, real float, num double, amount decimal(20,4), text string, raw binary, "
    "day date, moment timestamp, items array<int>, pair struct<x: int, y: string>, names map<string, int>, gone int"
)
VALUES = (
    True,
    7,
    2**60,
    0.5,
    1e300,
    Decimal("12345.6789"),
    "ä€",
    b"\x00\xff",
    date(1969, 12, 31),
    datetime(2026, 3, 29, 2, 30, 0, 123456),  # noqa: DTZ001
    [1, 2],
    (3, "z"),
    {"k": 1},
    None,
)


def test_values_of_all_types_arrive_unchanged(spark):
    columns = f"user string, second int, {TYPES}"
    frame = spark.createDataFrame([("a", 1, *VALUES)], columns).withColumn(
        "ts", F.timestamp_seconds("second")
    )

    def same(key, context, elements):
        return elements.drop(columns=["user", "second", "ts"])

    result = sw.key_by(frame, "user", time="ts").time_window("10 seconds").process(same, TYPES)
    (row,) = result.drop("user", "window").collect()
    (expected,) = frame.drop("user", "second", "ts").collect()
    assert row == expected


def test_side_outputs_and_late_rows_are_outputs_beside_the_main_one(spark):
    stream = spark.readStream.format("rate").load().withWatermark("timestamp", "0 seconds")
    source = stream.select(F.lit("a").alias("user"), F.col("value").cast("int").alias("price"), "timestamp")

    def sort(key, context, elements):
        yield sw.Tagged("big", elements.loc[elements.price > 10, ["price"]])
        yield pd.DataFrame({"n": [len(elements)]})

    result = (
        sw.key_by(source, "user")
        .time_window("10 seconds")
        .side_output_late_data("late")
        .process(sort, "n long", side_outputs={"big": "price int"})
    )
    assert sw.all_outputs(result).columns == ["output", "main", "late", "big"]
    assert sw.side_output(result, "big").columns == ["price"]
    run = sw.simulate(
        result,
        [
            sim.element(user="a", price=3, timestamp=0),
            sim.element(user="a", price=30, timestamp=1000),
            sim.watermark(9999),
            sim.element(user="a", price=4, timestamp=2000),
        ],
    )
    assert [row.n for row in run.steps[2].main] == [2]
    assert [row.price for row in run.steps[2].side["big"]] == [30]
    assert [(row.price, row.late_reason) for row in run.steps[3].side["late"]] == [(4, "late")]


@pytest.mark.parametrize(
    "change", [lambda state: state.update(n=5), lambda state: state.clear(), lambda state: state.pop("n")]
)
def test_the_state_that_a_function_gets_is_read_only(change):
    state = State(n=1)
    with pytest.raises(TypeError, match=r"read-only .* ColumnState\.of\(initial, update\)"):
        change(state)
    with pytest.raises(TypeError, match="read-only"):
        state["n"] = 5
    assert state == {"n": 1}
    assert copy.deepcopy(state) == {"n": 1}
    assert type(pickle.loads(pickle.dumps(state))) is dict


def test_a_stream_restarts_with_the_state_of_the_window_and_writes_all_outputs_at_once(spark, tmp_path):
    folder, checkpoint = tmp_path / "in", str(tmp_path / "checkpoint")
    folder.mkdir()

    def report(key, context, elements):
        before = context.window_state["seen"]
        yield pd.DataFrame({"before": [before], "now": [len(elements)], "fired": [context.global_state["n"]]})
        yield sw.Tagged("seen", elements[["price"]])

    def feed(number, rows):
        text = "\n".join(f'{{"user": "a", "price": {price}, "ts": "{ts}"}}' for price, ts in rows)
        (folder / f"{number}.json").write_text(text, encoding="utf-8")

    def run(number, rows):
        feed(number, rows)
        source = (
            spark.readStream.schema("user string, price int, ts timestamp")
            .json(str(folder))
            .withWatermark("ts", "0 seconds")
        )
        result = (
            sw.key_by(source, "user")
            .time_window("10 seconds")
            .trigger(sw.PurgingTrigger.of(sw.CountTrigger.of(2)))
            .process(
                report,
                "before long, now long, fired long",
                side_outputs={"seen": "price int"},
                window_state=sw.ColumnState.of(
                    "struct(0L as seen)",
                    lambda state, result: F.struct((state["seen"] + F.size(result)).alias("seen")),
                ),
                global_state=sw.ColumnState.of("struct(0L as n)", "struct(state.n + 1 as n)"),
            )
        )
        main, seen = SharedList(tmp_path), SharedList(tmp_path)
        query = (
            sw.all_outputs(result)
            .writeStream.foreachBatch(
                sw.for_each_output(
                    main=lambda rows, _: main.extend(tuple(r)[2:] for r in rows.collect()),
                    seen=lambda rows, _: seen.extend(r.price for r in rows.collect()),
                )
            )
            .option("checkpointLocation", checkpoint)
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        return main, seen

    assert run(1, [(1, "1970-01-01 00:00:01"), (2, "1970-01-01 00:00:02")]) == ([(0, 2, 0)], [1, 2])
    assert run(2, [(3, "1970-01-01 00:00:03"), (4, "1970-01-01 00:00:04")]) == ([(2, 2, 1)], [3, 4])
    # The next window has a state of its own, the key goes on.
    assert run(3, [(5, "1970-01-01 00:00:21"), (6, "1970-01-01 00:00:22")]) == ([(0, 2, 2)], [5, 6])


def test_aggregates_and_a_reduce_hand_their_one_row_on(spark):
    rows = windows(spark, ("a", 1, 0), ("a", 5, 1))

    def double(key, context, one):
        assert len(one) == 1
        return pd.DataFrame({"twice": one.total * 2})

    summed = rows.aggregate(F.sum("price").alias("total"), process=double, schema="twice long")
    assert [row.twice for row in summed.collect()] == [12]
    own = sw.AggregateFunction(
        create_accumulator="struct(0 as total)",
        add="struct(acc.total + row.price as total)",
        get_result="acc",
    )
    assert [row.twice for row in rows.aggregate(own, process=double, schema="twice long").collect()] == [12]

    def price(key, context, one):
        return one[["price"]]

    reduced = rows.reduce(lambda a, b: b, process=price, schema="price int")
    assert [row.price for row in reduced.collect()] == [5]


def test_pane_and_states_are_in_the_context(spark):
    def told(key, context, elements):
        return pd.DataFrame({"pane": [context.pane["timing"]], "index": [context.pane["number"]]})

    rows = windows(spark, ("a", 1, 0), ("a", 5, 1)).trigger(sw.CountTrigger.of(1)).with_pane()
    with pytest.raises(ValueError, match="two columns 'pane': the pane and a result"):
        rows.process(told, "pane string, index long")
    found = rows.process(
        lambda key, context, elements: told(key, context, elements).rename(columns={"pane": "timing"}),
        "timing string, index long",
    )
    assert [(r.timing, r["index"], r.pane.number) for r in found.collect()] == [
        ("early", 0, 0),
        ("early", 1, 1),
    ]


def test_a_window_without_rows_left_and_a_function_that_gives_nothing(spark):
    emptied = windows(spark, ("a", 1, 0)).evictor(sw.ColumnEvictor.keep("false"))
    counted = emptied.process(lambda key, context, rows: pd.DataFrame({"n": [len(rows)]}), "n int")
    assert [row.n for row in counted.collect()] == [0]
    assert windows(spark, ("a", 1, 0)).process(lambda key, context, rows: None, "n int").collect() == []


def test_arguments_are_checked_where_they_are_given(spark):
    rows = windows(spark)
    with pytest.raises(TypeError, match="process takes a function, got 3"):
        rows.process(3, "n int")
    with pytest.raises(TypeError, match="process: schema must be DDL"):
        rows.process(spread, 3)
    with pytest.raises(TypeError, match="aggregate needs the schema of its result"):
        rows.aggregate(F.count("*").alias("n"), process=spread)
    with pytest.raises(TypeError, match="belong to process=function"):
        rows.aggregate(F.count("*").alias("n"), schema="n int")
    with pytest.raises(TypeError, match="window_state must be a ColumnState"):
        rows.process(spread, "n int", window_state="struct(0 as n)")
    with pytest.raises(TypeError, match="side_outputs must be a dict"):
        rows.process(spread, "n int", side_outputs="big")
    with pytest.raises(ValueError, match="two columns 'user': a key and a result"):
        rows.process(spread, "user string")
    with pytest.raises(ValueError, match="two side outputs are called 'late'"):
        rows.side_output_late_data("late").process(spread, "n int", side_outputs={"late": "n int"})
    state = sw.ColumnState.of("struct(0 as n)", "struct('x' as n)")
    with pytest.raises(
        ValueError, match="window_state: initial gives 'n' as INT, and what update gives has it as STRING"
    ):
        rows.process(spread, "n int", window_state=state)
    sessions = sw.key_by(clicks(spark), "user", time="ts").window(
        sw.EventTimeSessionWindows.with_gap("1 second")
    )
    with pytest.raises(ValueError, match="merge, and have no state of their own: use global_state"):
        sessions.process(spread, "n int", window_state=sw.ColumnState.of("struct(0 as n)", "state"))


def test_the_workers_do_not_need_the_package(spark):
    # What is sent to them, read where there is no spark_windowing.
    result = windows(spark, ("a", 1, 0)).process(lambda key, context, rows: rows[["price"]], "price int")
    function = python_function_of(gateway_of(result), result).function
    code = (
        "import sys; sys.modules['spark_windowing'] = None; from pyspark import cloudpickle; "
        "print(cloudpickle.loads(sys.stdin.buffer.read()).schema.names)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=cloudpickle.dumps(function), capture_output=True, check=True
    )
    assert done.stdout.decode().strip() == "['user', 'window', 'price']"


def test_times_are_those_of_the_session(spark):
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")

    def told(key, context, elements):
        assert context.watermark == datetime.max  # noqa: DTZ901
        return pd.DataFrame(
            {"start": [str(context.window.start)], "ts": elements.ts, "text": elements.ts.astype(str)}
        )

    rows = windows(spark, ("a", 1, 1_790_000_001))
    (row,) = rows.process(told, "start string, ts timestamp, text string").collect()
    assert (row.start, row.text) == ("2026-09-21 16:13:20", "2026-09-21 16:13:21")
    assert row.ts.timestamp() == 1_790_000_001
