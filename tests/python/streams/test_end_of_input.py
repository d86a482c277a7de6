"""The end of input in `simulate`, and inputs that go idle and are active again."""

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from spark_windowing import sim

pytestmark = pytest.mark.spark

END = 2**63 - 1
MONOTONOUS = sw.WatermarkStrategy.for_monotonous_timestamps()


def values(windows):
    return windows.aggregate(F.collect_list("price").alias("prices"))


def at(seconds, price=1, **more):
    return sim.element(user="a", price=price, ts=seconds * 1000, **more)


ROWS = [(1, 3), (4, 4), (12, 5), (40, 6)]
WINDOWS = {
    "tumbling": lambda keyed: keyed.time_window("10 seconds"),
    "sessions with lateness": lambda keyed: keyed.window(
        sw.EventTimeSessionWindows.with_gap("9 seconds")
    ).allowed_lateness("1 day"),
    "end of stream": lambda keyed: keyed.window(sw.GlobalWindows.create_with_end_of_stream_trigger()),
    "counts": lambda keyed: keyed.count_window(2),
    "dashboard": lambda keyed: keyed.time_window("10 seconds").trigger(
        sw.AfterWatermark.of(early="1 second")
    ),
}


@pytest.mark.parametrize(
    ("name", "strategy"),
    [
        *((name, None) for name in WINDOWS),
        ("tumbling", MONOTONOUS),
        ("tumbling", sw.WatermarkStrategy.no_watermarks()),
    ],
)
def test_all_that_fires_is_what_a_static_frame_gives(spark, name, strategy):
    frame = spark.createDataFrame(ROWS, "second int, price int").select(
        F.lit("a").alias("user"), "price", F.timestamp_seconds("second").alias("ts")
    )
    result = values(WINDOWS[name](sw.key_by(frame, "user", time="ts")))
    run = sw.simulate(result, [*(at(*row) for row in ROWS), sim.end()], watermarks=strategy)
    rows = [row for step in run.steps for row in step.main]
    assert sorted(rows, key=str) == sorted(result.collect(), key=str)
    assert len(rows) > 0
    last = run.steps[-1]
    assert (last.watermark, last.idle, last.event_timers) == (END, (), 0)


def test_the_clock_stands_at_the_end_and_may_move_behind_it(spark):
    stream = spark.readStream.format("rate").load()
    result = (
        sw.key_by(stream, "value")
        .window(sw.TumblingProcessingTimeWindows.of("10 seconds"))
        .aggregate(F.count("*").alias("n"))
    )
    steps = [sim.processing_time(0), sim.element(value=1), sim.end(), sim.snapshot_restore()]
    run = sw.simulate(result, [*steps, sim.processing_time(20_000)])
    assert [[row.n for row in step.main] for step in run.steps] == [[], [], [], [], [1]]


def test_rows_behind_the_lateness_of_the_end_are_refused_by_name(clicks):
    result = values(sw.key_by(clicks, "user", time="ts").time_window("10 seconds"))
    behind = {
        "element": at(1),
        "batch": sim.batch([at(1)]),
        "end": sim.end(),
        "watermark": sim.watermark(1),
        "probe": sim.probe(1),
        "idle": sim.idle(0),
        "active": sim.active(0),
    }
    for name, step in behind.items():
        with pytest.raises(ValueError, match=f"^step 2, {name}: the input has ended in step 1") as error:
            sw.simulate(result, [at(1), sim.end(), step], watermarks=MONOTONOUS)
        assert "Put it before sim.end()" in str(error.value)


def test_a_trigger_that_would_fire_without_end_is_refused(clicks):
    windows = sw.key_by(clicks, "user", time="ts").window(sw.GlobalWindows.create())
    result = values(windows.trigger(sw.ContinuousEventTimeTrigger.of("1 second")))
    with pytest.raises(ValueError, match="would fire without end"):
        sw.simulate(result, [at(1), sim.end()])


def test_an_input_that_is_active_again_counts_when_it_has_caught_up(clicks):
    result = values(sw.key_by(clicks, "user", time="ts").time_window("10 seconds"))
    steps = [
        at(10, input=0),
        at(4, input=1),
        sim.probe(0),
        sim.idle(1),
        sim.active(1),
        at(30, input=0),
        sim.probe(1),  # input 1 is behind: it holds nothing
        at(35, input=1),
        sim.probe(2),  # caught up
        at(90, input=0),
        sim.probe(3),  # and now it holds
        sim.idle(0),
        sim.idle(1),
        sim.end(),
    ]
    run = sw.simulate(result, steps, watermarks=MONOTONOUS)
    shown = [(step.watermark, step.idle) for step in run.steps]
    assert shown[2:5] == [(3999, ()), (9999, (1,)), (9999, ())]
    assert [shown[i] for i in (6, 8, 10)] == [(29_999, ()), (29_999, ()), (34_999, ())]
    assert shown[11:] == [(34_999, (0,)), (89_999, (0, 1)), (END, ())]


def test_idleness_by_itself_is_told_and_goes_on_behind_active(clicks):
    result = values(sw.key_by(clicks, "user", time="ts").time_window("10 seconds"))
    steps = [at(1, input=0), at(2, input=1), *(sim.probe(t) for t in (0, 1000, 9000)), sim.active(1)]
    steps += [sim.probe(9001), at(50, input=1), sim.probe(9002)]
    run = sw.simulate(result, steps, watermarks=MONOTONOUS.with_idleness("3 seconds"))
    assert [step.idle for step in run.steps] == [(), (), (), (), (0, 1), (0,), (0, 1), (0, 1), (0,)]


@pytest.mark.parametrize("step", [sim.active(1), sim.idle(1)])
def test_inputs_need_a_strategy(clicks, step):
    result = values(sw.key_by(clicks, "user", time="ts").time_window("10 seconds"))
    name = type(step).__name__.lower()
    with pytest.raises(ValueError, match=f"step 0, {name}: only a simulation with a strategy has inputs"):
        sw.simulate(result, [step])


def test_a_run_with_an_end_is_shown_and_drawn(clicks):
    result = values(sw.key_by(clicks, "user", time="ts").time_window("10 seconds"))
    steps = [at(1, input=0), sim.idle(0), sim.active(0), sim.end()]
    run = sw.simulate(result, steps, watermarks=MONOTONOUS)
    assert repr(run).splitlines()[-1].endswith("end of input")
    labels = [text.get_text() for text in run.plot().figure.findobj(lambda part: hasattr(part, "get_text"))]
    assert any("active" in label for label in labels)
    assert any(label.startswith("end ") for label in labels)
