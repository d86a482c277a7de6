"""What the pictures of runs show, and the facts that they are made of."""

import re
from math import isnan

import pytest
from drawn import at, count, legend, shown, texts, until, window
from pyspark.sql import functions as F

import spark_windowing as sw
from spark_windowing import sim

pytestmark = pytest.mark.spark


def millis(row):
    return tuple(round(moment.timestamp() * 1000) for moment in row)


def events(run, kind):
    return [event for step in run.steps for event in step.events if event.kind == kind]


LATE = [at(1, price=3), at(12, price=4), until(10), at(2, price=5), until(20)]


def test_events_say_what_a_step_did_in_its_order(by_user):
    run = sw.simulate(by_user.time_window("10 seconds").aggregate(count()), LATE)
    assert [[event.kind for event in step.events] for step in run.steps] == [
        ["element"],
        ["element"],
        ["watermark", "fired", "cleared"],
        ["element"],
        ["watermark", "fired", "cleared"],
    ]
    late = run.steps[3].events[0]
    assert (late.key, late.time, millis(late.window), late.detail) == (("a",), 2000, window(0, 10), "late")
    assert run.steps[0].events[0] == sim.Event("element", ("a",), 1000)
    assert run.steps[2].events[0] == sim.Event("watermark", time=9999)
    assert [event.window for event in run.steps[2].events[1:]] == [run.steps[2].main[0].window] * 2
    assert (run.keys, run.time, run.is_event_time, run.allowed_lateness) == (("user",), "ts", True, 0)


def test_open_windows_are_those_that_live_behind_the_step(by_user):
    steps = [at(1), at(3, "b"), sim.snapshot_restore(), at(12), until(10), until(20)]
    run = sw.simulate(by_user.time_window("10 seconds").aggregate(count()), steps)
    left = [[(key, millis(bounds)) for key, bounds in step.open] for step in run.steps]
    a, b, later = (("a",), window(0, 10)), (("b",), window(0, 10)), (("a",), window(10, 20))
    assert left == [[a], [a, b], [a, b], [a, later, b], [later], []]


def test_sessions_that_merge_are_one_window(by_user):
    sessions = by_user.window(sw.EventTimeSessionWindows.with_gap("5 seconds"))
    run = sw.simulate(sessions.aggregate(count()), [at(1), at(8), at(5)])
    assert [[millis(bounds) for _, bounds in step.open] for step in run.steps] == [
        [window(1, 6)],
        [window(1, 6), window(8, 13)],
        [window(1, 13)],
    ]


TIMED = [
    sim.processing_time(0),
    at(1),
    sim.processing_time(3000),
    until(6),
    at(16),
    at(5),
    until(40),
    at(12),
    at(3),
    until(100),
    at(7),
]


@pytest.mark.parametrize(
    "assigner",
    [
        sw.TumblingEventTimeWindows.of("10 seconds"),
        sw.SlidingEventTimeWindows.of("10 seconds", "5 seconds"),
        sw.CumulativeEventTimeWindows.of("10 seconds", "5 seconds"),
        sw.EventTimeSessionWindows.with_gap("5 seconds"),
    ],
    ids=repr,
)
def test_a_firing_has_the_timing_that_its_pane_has(by_user, assigner):
    windows = (
        by_user.window(assigner)
        .trigger(sw.AfterWatermark.of(early="2 seconds"))
        .allowed_lateness("60 seconds")
    )
    asked = sw.simulate(windows.with_pane().aggregate(count()), TIMED)
    panes = [row.pane.timing for step in asked.steps for row in step.main]
    assert set(panes) == {"early", "on_time", "late"}
    plain = sw.simulate(windows.aggregate(count()), TIMED)
    assert [event.detail for event in events(plain, "fired")] == panes
    assert [event.detail for event in events(asked, "fired")] == panes


def test_a_local_day_is_drawn_from_midnight_to_midnight(by_user):
    days = by_user.window(sw.CalendarWindows.days(time_zone="Europe/Berlin"))
    begin, end = 1_774_738_800, 1_774_821_600  # 29 March 2026, of 23 hours
    run = sw.simulate(days.aggregate(count()), [at(begin - 1), at(begin), at(end - 1), until(end)])
    before = window(begin - 86_400, begin)
    assert [millis(bounds) for _, bounds in run.steps[2].open] == [before, window(begin, end)]
    assert [(*millis(row.window), row.n) for row in run.steps[3].main] == [
        (*before, 1),
        (*window(begin, end), 2),
    ]
    ax = run.plot()
    assert shown(ax)["window"] == 2
    assert "2026-03" in ax.get_xlabel() or "UTC" in ax.get_xlabel()


def test_a_firing_that_is_collapsed_did_not_happen(by_user):
    windows = by_user.time_window("10 seconds").trigger(sw.ContinuousEventTimeTrigger.of("2 seconds"))
    run = sw.simulate(windows.collapse_firings().aggregate(count()), [at(1), until(20)])
    assert len(events(run, "fired")) == len(run.steps[1].main) == 1


def test_a_run_is_drawn_with_what_was_late_and_why(by_user):
    run = sw.simulate(by_user.time_window("10 seconds").aggregate(count()), LATE)
    ax = run.plot()
    assert shown(ax) == {
        "element": 2,
        "late": 1,
        "missed": 1,
        "window": 2,
        "watermark": 1,
        "fired-on_time": 2,
    }
    assert ax.get_title(loc="left") == "user = a"
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "row   0",
        "row   1",
        "watermark 00:00:09.999   2",
        "row   3",
        "watermark 00:00:19.999   4",
    ]
    assert texts(ax) == ["step", "n=1", "n=1", "3", "4", "5  late by 8 s"]
    assert ax.get_xlabel() == "event time on 1970-01-01 (UTC)"
    assert legend(ax) == [
        "row",
        "window, as long as it lives",
        "watermark (left of it: the past)",
        "fired on time",
        "row that came too late",
        "window that it missed",
    ]


def test_a_box_reaches_from_the_step_that_opened_it_to_the_one_that_cleaned_it_up(by_user):
    ax = sw.simulate(by_user.time_window("10 seconds").aggregate(count()), LATE).plot()
    boxes = [patch for patch in ax.patches if patch.get_gid() == "window"]
    assert [(b.get_x(), b.get_x() + b.get_width()) for b in boxes] == [window(0, 10), window(10, 20)]
    assert [(b.get_y(), b.get_y() + b.get_height()) for b in boxes] == [(0, 3), (1, 5)]


def test_a_box_begins_above_the_watermark_that_its_row_moves(by_user):
    strategy = sw.WatermarkStrategy.for_monotonous_timestamps()
    run = sw.simulate(
        by_user.time_window("10 seconds").aggregate(count()), [at(1), at(12)], watermarks=strategy
    )
    ax = run.plot()
    assert [b.get_y() for b in ax.patches if b.get_gid() == "window"] == [0, 1]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["row   0", "row   1"]


def test_merging_early_and_late_firings_and_lateness_are_drawn(by_user):
    windows = (
        by_user.window(sw.EventTimeSessionWindows.with_gap("5 seconds"))
        .trigger(sw.AfterWatermark.of(early="2 seconds"))
        .allowed_lateness("9 seconds")
    )
    steps = [sim.processing_time(0), at(1), sim.processing_time(3000), at(8), until(13), at(5)]
    ax = sw.simulate(windows.aggregate(count()), steps).plot()
    drawn = shown(ax)
    assert drawn["merge"] == 2
    assert drawn["lateness"] == 1
    assert (drawn["fired-early"], drawn["fired-on_time"], drawn["fired-late"]) == (1, 2, 1)
    assert {"early: n=1", "late: n=3"} < set(texts(ax))
    assert {"sessions merge", "watermark - allowed lateness", "fired early", "fired late"} < set(legend(ax))


def test_a_watermark_beyond_the_picture_is_named_at_its_edge(by_user):
    """A picture reaches half its width further than its windows, for the watermarks that lie there."""
    run = sw.simulate(
        by_user.time_window("10 seconds").aggregate(count()),
        [sim.watermark(-60_000), at(1), sim.watermark(15_000), sim.watermark(60_000)],
    )
    ax = run.plot()
    assert texts(ax) == ["step", "← watermark 23:59:00", "watermark 00:01:00 →", "n=1", "1"]
    low, high = ax.get_xlim()
    assert low < 0
    assert 15_000 < high < 60_000
    by_text = {text.get_text(): text for text in ax.texts}
    first, last = by_text["← watermark 23:59:00"], by_text["watermark 00:01:00 →"]
    assert (first.get_position(), first.get_ha()) == ((low, 0.5), "left")
    assert (last.get_position(), last.get_ha()) == ((high, 3.5), "right")
    (line,) = [line for line in ax.lines if line.get_gid() == "watermark"]
    inside = [(x, y) for x, y in zip(*line.get_data(), strict=True) if not isnan(x)]
    # Down at 15 seconds, then to the edge.
    assert inside == [(low, 0), (15_000, 2), (15_000, 3), (high, 3)]


def test_the_left_margin_has_room_for_the_steps(by_user):
    counted = by_user.time_window("10 seconds").aggregate(count())
    lefts = []
    for steps in ([at(1)], [at(1), sim.processing_time(1), until(10)]):
        ax = sw.simulate(counted, steps).plot()
        ax.figure.canvas.draw()
        labels = [label.get_window_extent() for label in ax.get_yticklabels()]
        assert all(label.x0 > 0 for label in labels)
        lefts.append(ax.get_window_extent().x0)
    assert lefts[0] < lefts[1]


@pytest.mark.parametrize("width", [4.8, 6, 10])
def test_a_picture_of_any_width_has_room_for_its_texts(by_user, width):
    from matplotlib.text import Text

    windows = by_user.time_window("10 seconds").allowed_lateness("5 seconds").side_output_late_data("late")
    steps = [sim.processing_time(1), at(1), until(10), at(5), until(15), at(8), sim.watermark(15_000)]
    ax = sw.simulate(windows.aggregate(count()), steps).plot(width=width)
    figure = ax.figure
    figure.canvas.draw()
    assert figure.get_figwidth() == width
    assert len(legend(ax)) == 8
    shown_texts = [text for text in figure.findobj(Text) if text.get_text()]
    assert len(shown_texts) > 20
    inside = [
        figure.bbox.contains(*corner) for t in shown_texts for corner in t.get_window_extent().corners()
    ]
    assert all(inside)


def test_a_picture_without_room_for_its_steps_is_refused(by_user):
    run = sw.simulate(by_user.time_window("10 seconds").aggregate(count()), [at(1), until(10)])
    with pytest.raises(ValueError, match=r"width: the picture needs \d\.\d inches, not 2"):
        run.plot(width=2)


def test_a_picture_has_the_colors_of_the_style(by_user):
    from matplotlib import pyplot as plt
    from matplotlib.colors import same_color

    run = sw.simulate(by_user.time_window("10 seconds").aggregate(count()), LATE)
    for style, ink, paper in (("default", "black", "white"), ("dark_background", "white", "black")):
        with plt.style.context(style):
            ax = run.plot()
        assert all(same_color(text.get_color(), ink) for text in ax.texts if text.get_text() != "step")
        assert all(same_color(text.get_color(), ink) for text in ax.get_legend().get_texts())
        assert same_color(ax.get_facecolor(), paper)
        unnamed = [line for line in ax.lines if not line.get_gid()]
        rows = [line.get_markeredgecolor() for line in ax.lines if line.get_gid() == "element"]
        firings = [line.get_markeredgecolor() for line in unnamed if line.get_marker() != "None"]
        rules = [line.get_color() for line in unnamed if line.get_marker() == "None"]
        assert (len(rows), len(firings), len(rules)) == (2, 2, 4)
        assert all(same_color(edge, paper) for edge in rows)
        assert all(same_color(edge, ink) for edge in firings)
        assert not any(same_color(rule, ink) or same_color(rule, paper) for rule in rules)


def test_each_key_has_a_panel_and_one_can_be_chosen(by_user):
    run = sw.simulate(by_user.time_window("10 seconds").aggregate(count()), [at(1), at(2, "b"), until(10)])
    panels = run.plot()
    assert [panel.get_title(loc="left") for panel in panels] == ["user = a", "user = b"]
    assert [len(panel.get_yticklabels()) for panel in panels] == [2, 2]
    assert [panel.get_legend() is None for panel in panels] == [True, False]
    assert run.plot(key="b").get_title(loc="left") == run.plot(key=("b",)).get_title(loc="left") == "user = b"


def test_a_picture_can_be_put_into_a_figure_of_ones_own(by_user):
    from matplotlib import pyplot as plt

    run = sw.simulate(by_user.time_window("10 seconds").aggregate(count()), [at(1), at(2, "b"), until(10)])
    _, ax = plt.subplots()
    assert run.plot(key="a", ax=ax) is ax
    assert shown(ax)["fired-on_time"] == 1
    with pytest.raises(ValueError, match=re.escape("plot(key=..), 'a', 'b'")):
        run.plot(ax=ax)


def test_keys_that_are_not_there_or_too_many_are_refused(by_user):
    many = [at(1, user) for user in "abcdefg"]
    run = sw.simulate(by_user.time_window("10 seconds").aggregate(count()), many)
    with pytest.raises(ValueError, match="the run has no key 'x'; its keys are 'a', 'b', 'c'"):
        run.plot(key="x")
    with pytest.raises(ValueError, match="the run has 7 keys, and there is room for 6"):
        run.plot()


def test_rows_without_any_time_stand_in_their_order(clicks):
    windows = sw.key_by(clicks, "user").count_window(4, 2)
    run = sw.simulate(windows.aggregate(count()), [sim.element(user="a", price=i) for i in range(4)])
    ax = run.plot()
    assert shown(ax) == {"element": 4, "window": 1, "fired-on_time": 2}
    assert legend(ax) == ["row", "window, as long as it lives", "fired"]
    assert ax.get_xlabel() == "rows, in the order in which they came"
    dots = [line.get_xdata()[0] for line in ax.lines if line.get_gid() == "element"]
    assert dots == [1, 2, 3, 4]
    (box,) = [patch for patch in ax.patches if patch.get_gid() == "window"]
    assert (box.get_x(), box.get_width()) == (1, 3)


def test_processing_time_windows_are_drawn_over_processing_time(spark):
    stream = spark.readStream.format("rate").load()
    windows = sw.key_by(stream, "value").window(sw.TumblingProcessingTimeWindows.of("10 seconds"))
    steps = [sim.processing_time(1000), sim.element(value=1), sim.processing_time(9999)]
    ax = sw.simulate(windows.aggregate(count()), steps).plot()
    assert shown(ax) == {"element": 1, "window": 1, "processing time": 1, "fired-on_time": 1}
    assert ax.get_xlabel() == "processing time on 1970-01-01 (UTC)"
    assert legend(ax) == ["row", "window, as long as it lives", "processing time", "fired"]
    assert [line.get_xdata()[0] for line in ax.lines if line.get_gid() == "element"] == [1000]


def test_runs_without_rows_without_times_and_without_end_are_drawn(by_user, clicks):
    counted = by_user.time_window("10 seconds").aggregate(count())
    assert shown(sw.simulate(counted, []).plot()) == {}
    ax = sw.simulate(counted, [sim.element(user="a"), at(1), sim.watermark(2**63 - 1)]).plot()
    assert (shown(ax)["untimed"], shown(ax)["element"], shown(ax)["fired-on_time"]) == (1, 1, 1)
    assert "row without event time" in legend(ax)
    assert "no event time" in texts(ax)
    whole = sw.time_window_all(clicks, "10 seconds", time="ts").aggregate(count())
    assert sw.simulate(whole, [at(1), until(10)]).plot().get_title(loc="left") == ""


def test_texts_of_many_rows_and_long_values_do_not_meet(by_user, spark):
    df = spark.createDataFrame([], "user string, note string, ts timestamp")
    noted = sw.key_by(df, "user", time="ts").time_window("10 seconds").aggregate(F.max("note").alias("note"))
    long = [sim.element(user="a", note="of many words " * 5, ts=i * 5000) for i in range(6)]
    many = [at(i % 17, price=i) for i in range(50)]
    runs = [
        sw.simulate(noted, [sim.batch(long), until(60)]),
        sw.simulate(by_user.time_window("10 seconds").aggregate(count()), [sim.batch(many), until(60)]),
    ]
    for run in runs:
        ax = run.plot()
        figure = ax.figure
        figure.canvas.draw()
        boxes = [text.get_window_extent() for text in ax.texts]
        assert len(boxes) > 8
        meeting = [(a, b) for i, a in enumerate(boxes) for b in boxes[:i] if a.shrunk(0.9, 0.9).overlaps(b)]
        assert meeting == []
        assert all(box.x1 <= figure.bbox.x1 for box in boxes)


def test_a_long_run_is_a_picture_of_bounded_size(by_user):
    run = sw.simulate(by_user.time_window("10 seconds").aggregate(count()), [at(i) for i in range(400)])
    assert run.plot().figure.get_size_inches()[1] < 65


def test_steps_and_runs_show_themselves_in_a_notebook(by_user):
    run = sw.simulate(by_user.time_window("10 seconds").aggregate(count()), LATE)
    assert run._repr_html_().count("<tr>") == 6
    step = run.steps[2]._repr_html_()
    assert "user=a window=[" in step
    assert "<th" in step
    assert "timers" in step
    assert "side" not in step


WITHOUT = """
import sys

sys.modules["matplotlib"] = None
import spark_windowing as sw
from spark_windowing import sim

assert not [name for name in sys.modules if name.startswith("matplotlib.")]
try:
    sim.Run(()).plot()
except sw.SparkWindowingError as error:
    print(error.remedy)
"""


def test_without_matplotlib_the_line_to_type_is_said(python):
    assert python(WITHOUT) == ['pip install "spark-windowing[plot]"']


def test_the_import_does_not_load_matplotlib(python):
    assert python("import spark_windowing, sys; print('matplotlib' in sys.modules)") == ["False"]
