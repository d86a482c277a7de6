"""Watermark strategies: in `simulate`, on static DataFrames and on running streams."""

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from shared_list import SharedList
from spark_windowing import sim

pytestmark = pytest.mark.spark

Strategy = sw.WatermarkStrategy
FIVE_SECONDS = Strategy.for_bounded_out_of_orderness("5 seconds")


def counts(df, **key_by):
    return sw.key_by(df, "user", **key_by).time_window("10 seconds").aggregate(F.count("*").alias("n"))


@pytest.fixture
def counted(clicks):
    return counts(clicks, time="ts")


def told(run):
    """Each step's rows as text, and its watermark."""
    return [([f"{row.user} {row.n}" for row in step.main], step.watermark) for step in run.steps]


def test_rows_move_the_watermark_at_probes(counted):
    steps = [
        sim.element(user="a", ts=1000),
        sim.probe(0),
        sim.element(user="b", ts=14_999),
        sim.probe(200),
        sim.element(user="a", ts=15_000),  # behind the watermark of the last probe: nothing yet
        sim.snapshot_restore(),
        sim.probe(400),
        sim.element(user="a", ts=2000),  # late
        sim.probe(600),
    ]
    run = sw.simulate(counted, steps, watermarks=FIVE_SECONDS)
    assert told(run) == [
        ([], None),
        ([], -4001),
        ([], -4001),
        ([], 9998),
        ([], 9998),
        ([], 9998),
        (["a 1"], 9999),
        ([], 9999),
        ([], 9999),
    ]


def test_the_slowest_input_decides_until_it_is_idle(counted):
    steps = [
        sim.element(user="a", ts=1000, input=0),
        sim.element(user="a", ts=40_000, input=0),
        sim.probe(0),
        sim.element(user="b", ts=2000, input=1),
        sim.probe(1),
        sim.idle(1),
        sim.element(user="b", ts=30_000, input=1),  # late, and makes it active again, behind
        sim.element(user="c", ts=50_000, input=0),
        sim.probe(2),
    ]
    run = sw.simulate(counted, steps, watermarks=FIVE_SECONDS)
    assert [watermark for _, watermark in told(run)] == [
        *[None] * 3,
        None,
        -3001,
        34_999,
        34_999,
        34_999,
        44_999,
    ]
    assert told(run)[5][0] == ["a 1", "b 1"]


def test_a_quiet_input_goes_idle_by_itself(counted):
    strategy = FIVE_SECONDS.with_idleness("1 second")
    steps = [
        sim.element(user="b", ts=2000, input=1),
        sim.element(user="a", ts=40_000),
        sim.probe(100),
        sim.element(user="a", ts=40_000),
        sim.probe(200),  # quiet from here
        sim.element(user="a", ts=40_000),
        sim.probe(1200),
        sim.element(user="a", ts=40_000),
        sim.probe(1201),
    ]
    run = sw.simulate(counted, steps, watermarks=strategy)
    assert [watermark for _, watermark in told(run)][2:] == [*[-3001] * 6, 34_999]
    assert told(run)[-1][0] == ["b 1"]


def test_a_generator_of_ones_own_and_an_assigner_with_sql_or_functions(counted):
    steps = [
        sim.element(user="a", price=1),
        sim.element(user="a", price=9),
        sim.element(user="end", price=10),
        sim.element(user="a", price=25),
    ]
    for proved, assigner in [
        ("CASE WHEN user = 'end' THEN ts - INTERVAL 1 MILLISECOND END", "timestamp_seconds(price)"),
        (
            lambda: F.when(F.col("user") == "end", F.col("ts") - F.expr("INTERVAL 1 MILLISECOND")),
            F.timestamp_seconds("price"),
        ),
    ]:
        strategy = Strategy.for_generator(proved).with_timestamp_assigner(assigner)
        run = sw.simulate(counted, steps, watermarks=strategy)
        assert told(run) == [([], None), ([], None), (["a 2"], 9999), ([], 9999)]


def test_the_column_of_the_event_time_is_assigned_too(clicks):
    latest = (
        sw.key_by(clicks, "user", time="ts").time_window("10 seconds").aggregate(F.max("ts").alias("last"))
    )
    strategy = Strategy.for_monotonous_timestamps().with_timestamp_assigner("timestamp_seconds(price)")
    steps = [sim.element(user="a", price=3, ts=77_000), sim.element(user="a", price=20), sim.probe(0)]
    run = sw.simulate(latest, steps, watermarks=strategy)
    assert [row.last.second for row in run.steps[2].main] == [3]


def test_ingestion_time_stamps_by_the_clock_and_makes_nothing_late(counted):
    steps = [
        sim.processing_time(5000),
        sim.element(user="a"),
        sim.probe(10_002),
        sim.element(user="b"),
        sim.probe(10_003),
        sim.processing_time(3000),  # the clock goes back
        sim.element(user="c"),
        sim.probe(20_000),
        sim.element(user="d"),
        sim.probe(20_001),
    ]
    run = sw.simulate(counted, steps, watermarks=Strategy.ingestion_time())
    assert [watermark for _, watermark in told(run)] == [
        *[None] * 2,
        4998,
        4998,
        10_000,
        10_000,
        10_000,
        10_000,
        10_000,
        19_998,
    ]
    assert told(run)[4][0] == ["a 1"]
    assert run.steps[6].event_timers == 2  # b and c, both in [10, 20)


def test_a_row_from_the_future_moves_the_watermark_to_clock_and_allowance_at_most(counted):
    strategy = Strategy.for_monotonous_timestamps().with_max_ahead_of_clock("10 seconds")
    steps = [
        sim.processing_time(0),
        sim.element(user="a", ts=1000),
        sim.element(user="b", ts=10**12),
        sim.probe(1),
        sim.element(user="a", ts=10_000),
    ]
    run = sw.simulate(counted, steps, watermarks=strategy)
    assert told(run)[3:] == [(["a 1"], 9999), ([], 9999)]
    assert run.steps[4].event_timers == 2  # b waits at its own time


def test_no_watermarks(counted):
    run = sw.simulate(
        counted, [sim.element(user="a", ts=1000), sim.probe(10**9)], watermarks=Strategy.no_watermarks()
    )
    assert told(run) == [([], None), ([], None)]


def test_a_batch_is_judged_by_one_watermark_and_due_timers_come_first(counted):
    steps = [
        sim.element(user="a", ts=1000),
        sim.batch([sim.element(user="b", ts=25_000), sim.element(user="a", ts=2000), sim.watermark(9999)]),
    ]
    assert told(sw.simulate(counted, steps)) == [([], None), (["a 1"], 9999)]


def test_a_batch_proves_its_watermark_for_what_follows(counted):
    rows = [sim.element(user="a", ts=50_000), sim.element(user="b", ts=1000)]
    one_by_one = [step for row in rows for step in (row, sim.probe(0))]
    run = sw.simulate(counted, [sim.batch(rows), sim.element(user="c", ts=1000)], watermarks=FIVE_SECONDS)
    assert told(run) == [(["b 1"], 44_999), ([], 44_999)]
    assert told(sw.simulate(counted, one_by_one, watermarks=FIVE_SECONDS))[3] == ([], 44_999)


def test_the_clock_of_a_batch_moves_before_its_rows(spark):
    stream = spark.readStream.format("rate").load()
    result = (
        sw.key_by(stream, F.lit("a").alias("user"))
        .window(sw.TumblingProcessingTimeWindows.of("10 seconds"))
        .aggregate(F.count("*").alias("n"))
    )
    run = sw.simulate(
        result,
        [
            sim.batch([sim.processing_time(0), sim.element(), sim.element()]),
            sim.batch([sim.element(), sim.processing_time(9999)]),
        ],
    )
    assert told(run) == [([], None), (["a 2"], None)]
    assert run.steps[1].processing_timers == 1


def test_steps_that_do_not_go_together_are_refused(counted):
    with pytest.raises(ValueError, match="step 1, watermark: the strategy makes the watermarks of this run"):
        sw.simulate(counted, [sim.probe(1), sim.watermark(1)], watermarks=FIVE_SECONDS)
    with pytest.raises(ValueError, match="step 0, watermark: the strategy makes"):
        sw.simulate(counted, [sim.batch([sim.watermark(1)])], watermarks=FIVE_SECONDS)
    for step, name in [
        (sim.probe(1), "probe"),
        (sim.idle(0), "idle"),
        (sim.element(user="a", ts=1, input=1), r"element\(.., input=1\)"),
        (sim.batch([sim.element(user="a", ts=1, input=1)]), r"element\(.., input=1\)"),
    ]:
        with pytest.raises(ValueError, match=f"step 1, {name}: only a simulation with a strategy"):
            sw.simulate(counted, [sim.element(user="a", ts=1), step])
    with pytest.raises(TypeError, match="a watermark strategy is made by WatermarkStrategy"):
        sw.simulate(counted, [], watermarks="5 seconds")


@pytest.mark.parametrize(
    "strategy",
    [Strategy.ingestion_time(), Strategy.for_monotonous_timestamps().with_max_ahead_of_clock("1 hour")],
    ids=repr,
)
def test_a_strategy_that_looks_at_the_clock_needs_one(counted, strategy):
    with pytest.raises(ValueError, match=r"step 0, element: .* begin with sim.processing_time"):
        sw.simulate(counted, [sim.element(user="a", ts=1)], watermarks=strategy)


def test_the_end_of_a_batch_is_a_probe_which_needs_a_clock_for_idleness(counted):
    strategy = FIVE_SECONDS.with_idleness("1 second")
    rows = [sim.element(user="a", ts=20_000), sim.element(user="b", ts=1000, input=1)]
    with pytest.raises(ValueError, match=r"step 0, batch: .* begin with sim.processing_time"):
        sw.simulate(counted, [sim.batch(rows)], watermarks=strategy)
    steps = [sim.batch([sim.processing_time(ms), *more]) for ms, more in [(0, rows), (100, []), (1101, [])]]
    assert [step.watermark for step in sw.simulate(counted, steps, watermarks=strategy).steps] == [
        -4001,
        -4001,
        14_999,
    ]


def test_a_run_shows_the_watermark_after_each_step(counted, capsys):
    steps = [sim.element(user="a", ts=6000), sim.probe(0)]
    sw.simulate(counted, steps, watermarks=FIVE_SECONDS).show()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("watermark")
    assert lines[1].endswith("processing")
    assert lines[2].endswith("1970-01-01T00:00:00.999Z")


def test_a_static_frame_gets_event_times(clicks):
    strategy = (
        Strategy.no_watermarks()
        .with_timestamp_assigner("timestamp_seconds(price * 4)")
        .with_idleness("1 min")
    )
    assigned = sw.assign_timestamps_and_watermarks(clicks, strategy)
    assert assigned.columns == ["user", "price", "ts", "event_time"]
    result = counts(assigned)
    assert sorted((row.user, row.window.start.second, row.n) for row in result.collect()) == [
        ("a", 10, 2),
        ("a", 20, 1),
        ("b", 20, 1),
    ]


def test_assigned_columns_are_named_and_types_checked(clicks):
    strategy = Strategy.for_monotonous_timestamps().with_timestamp_assigner(F.col("ts"))
    assert sw.assign_timestamps_and_watermarks(clicks, strategy, time="at").columns[-1] == "at"
    for name in ("ts", "TS"):
        with pytest.raises(ValueError, match=f"a second column '{name}': name it otherwise"):
            sw.assign_timestamps_and_watermarks(clicks, strategy, time=name)
    with pytest.raises(ValueError, match=r"Name a TIMESTAMP column \('ts'\)"):
        sw.assign_timestamps_and_watermarks(clicks, FIVE_SECONDS)
    with pytest.raises(ValueError, match="'price' is no TIMESTAMP column of the DataFrame"):
        sw.assign_timestamps_and_watermarks(clicks, FIVE_SECONDS, time="price")
    with pytest.raises(
        ValueError, match="the timestamp assigner must be a TIMESTAMP, got user of type STRING"
    ):
        sw.assign_timestamps_and_watermarks(clicks, strategy.with_timestamp_assigner("user"))
    with pytest.raises(TypeError, match="a watermark strategy is made by WatermarkStrategy"):
        sw.assign_timestamps_and_watermarks(clicks, "5 seconds", time="ts")
    with pytest.raises(TypeError, match="time must be the name of the event-time column"):
        sw.assign_timestamps_and_watermarks(clicks, FIVE_SECONDS, time=F.col("ts"))


@pytest.fixture
def stream(spark, tmp_path):
    """A stream of JSON files of users and texts for times, one file a micro-batch; and how to write one."""
    folder = tmp_path / "in"
    folder.mkdir()
    source = spark.readStream.schema("user string, at string").json(str(folder))

    def write(*rows):
        lines = "".join(f'{{"user": "{user}", "at": "1970-01-01T00:00:{at}Z"}}\n' for user, at in rows)
        draft = tmp_path / "draft"
        draft.write_text(lines, encoding="utf-8")
        draft.rename(folder / f"{len(list(folder.glob('*.json')))}.json")

    return source, write


def collected(result, tmp_path):
    """Run a query over what has been written since the last time; its rows."""
    rows = SharedList(tmp_path)

    def keep(frame, _batch):
        rows.extend(f"{row.user} {row.n}" for row in frame.collect())

    query = (
        result.writeStream.foreachBatch(keep)
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return rows


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        (FIVE_SECONDS, []),
        (Strategy.for_generator(lambda: F.when(F.col("user") == "end", F.col("event_time"))), ["a 2"]),
    ],
    ids=repr,
)
def test_strategies_on_a_stream(stream, tmp_path, strategy, expected):
    source, write = stream
    strategy = strategy.with_timestamp_assigner("to_timestamp(at)")
    assigned = sw.assign_timestamps_and_watermarks(source, strategy)
    write(("a", "01"), ("a", "09"), ("end", "12"))
    assert collected(counts(assigned.where("user != 'end'")), tmp_path) == expected


def test_a_result_over_an_assigned_stream_is_simulated_with_its_own_strategy(stream):
    source, _ = stream
    strategy = FIVE_SECONDS.with_timestamp_assigner("to_timestamp(at)")
    result = counts(sw.assign_timestamps_and_watermarks(source, strategy))
    steps = [
        sim.element(user="a", at="1970-01-01T00:00:01Z"),
        sim.element(user="b", at="1970-01-01T00:00:15Z"),
    ]
    run = sw.simulate(result, [*steps, sim.probe(0)], watermarks=strategy)
    assert told(run)[2] == (["a 1"], 9999)
    # Without a strategy the event time is a column like the others, and the steps move the watermark.
    plain = sw.simulate(result, [sim.element(user="a", event_time=1000), sim.watermark(9999)])
    assert told(plain)[1] == (["a 1"], 9999)


def test_ingestion_time_on_a_stream(stream, tmp_path):
    source, write = stream
    assigned = sw.assign_timestamps_and_watermarks(source, Strategy.ingestion_time(), time="came")
    result = (
        sw.key_by(assigned, "user")
        .count_window(2)
        .aggregate(F.count("*").alias("n"), F.max("came").alias("came"))
    )
    write(("a", "01"), ("a", "09"))
    assert collected(result.where("came > TIMESTAMP '2020-01-01'"), tmp_path) == ["a 2"]


def test_what_a_stream_does_not_have_is_refused(stream):
    source, _ = stream
    strategy = FIVE_SECONDS.with_timestamp_assigner("to_timestamp(at)")
    none = Strategy.no_watermarks().with_timestamp_assigner("to_timestamp(at)").with_idleness("1 minute")
    with pytest.raises(
        ValueError, match=r"no_watermarks with_idleness on a stream: .* Take with_idleness away"
    ):
        sw.assign_timestamps_and_watermarks(source, none)
    assigned = sw.assign_timestamps_and_watermarks(source, strategy)
    with pytest.raises(ValueError, match="the stream has a watermark already"):
        sw.assign_timestamps_and_watermarks(assigned, strategy, time="again")
    with pytest.raises(ValueError, match="Take withWatermark away, or the strategy"):
        counts(assigned.withWatermark("event_time", "1 second"))
