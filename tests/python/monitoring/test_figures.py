"""The figures of a running query, from what Spark reports of each micro-batch."""

import io
from datetime import timedelta

from pyspark.sql import Row

from spark_windowing._monitoring.figures import Figures
from spark_windowing._monitoring.screens import Lines, TerminalLine, line, screen_for, table


def operator(still_open=0, fired=0, dropped=0, aside=0):
    metrics = {"numLateRecordsDropped": dropped, "lateSideOutput": aside}
    return {"customMetrics": {"openWindows": still_open, "firedPanes": fired, **metrics}}


def progress(batch, rows=0, rate=0.0, watermark=None, operators=(), *, at="00:10:00", ran=True):
    times = {} if watermark is None else {"watermark": f"2026-01-01T{watermark}.000Z"}
    return {
        "batchId": batch,
        "numInputRows": rows,
        "processedRowsPerSecond": rate,
        "timestamp": f"2026-01-01T{at}.500Z",
        "eventTime": times,
        "durationMs": {"addBatch": 5, "triggerExecution": 9} if ran else {"triggerExecution": 1},
        "stateOperators": list(operators),
    }


def after(*progresses):
    figures = Figures()
    figures.add(progresses)
    return figures


def test_before_the_first_micro_batch():
    assert line(after()) == "batch -   0 rows   0 rows/s   watermark none yet   0 open   0 fired   0 late"


def test_rows_firings_and_late_rows_add_up_and_open_windows_are_those_of_now():
    first = progress(0, 1000, 250.4, operators=[operator(7, 0)])
    second = progress(1, 500, 99.6, "00:09:30", [operator(3, 5, dropped=2, aside=1)], at="00:09:42")
    assert line(after(first, second)) == (
        "batch 1   1,500 rows   100 rows/s   watermark 2026-01-01 00:09:30Z, 12.5 s behind the clock   "
        "3 open   5 fired   3 late"
    )


def test_a_micro_batch_that_was_seen_counts_once():
    figures = after(progress(0, 10, operators=[operator(1, 4)]))
    figures.add([progress(0, 10, operators=[operator(1, 4)]), progress(1, 5, operators=[operator(1, 1)])])
    assert (figures.rows, figures.fired) == (15, 5)


def test_operators_of_one_query_are_added_up_and_those_of_spark_left_out():
    spark_own = {"customMetrics": {"loadedMapCacheHitCount": 9}}
    figures = after(progress(0, 10, operators=[operator(1, 2), spark_own, operator(3, 4)]))
    assert (figures.open, figures.fired) == (4, 6)


def test_the_portable_operator_counts_firings_and_late_rows_and_no_open_windows():
    spark_own = {"customMetrics": {"loadedMapCacheHitCount": 9}}
    counts = {"firedPanes": 2, "numLateRecordsDropped": 1, "lateSideOutput": 3}
    first = {**progress(0, 10, operators=[spark_own]), "observedMetrics": {"spark_windowing": counts}}
    without_rows = progress(1, operators=[spark_own])  # as Spark 3.5 reports it
    for figures in (after(first), after(first, without_rows)):
        assert line(figures).endswith("   - open   2 fired   4 late")


def test_counts_as_spark_connect_sends_them():
    names = ["firedPanes", "numLateRecordsDropped", "lateSideOutput"]
    counts = Row(values=[2, 1, 3], schema={"fields": [{"name": name} for name in names]})
    figures = after({**progress(0, 10), "observedMetrics": {"spark_windowing": counts}})
    assert (figures.fired, figures.late) == (2, 4)


def test_while_a_query_waits_it_says_so_its_lag_grows_and_nothing_counts_again():
    figures = after(progress(0, 10, 70.0, "00:09:00", [operator(2, 4)]))
    figures.add([progress(1, 0, 0.0, "00:09:00", [operator(2, 4)], at="00:15:00", ran=False)])
    assert (figures.fired, figures.batch) == (4, 0)
    assert figures.lag == timedelta(minutes=6, milliseconds=500)
    assert "   waiting for rows   " in line(figures)
    assert "<td>waiting</td>" in table(figures)
    figures.add([progress(1, 20, 30.0)])
    assert "   30 rows/s   " in line(figures)


def test_a_micro_batch_without_rows_keeps_the_rate():
    assert after(progress(0, 10, 70.0), progress(1)).rows_per_second == 70.0


def test_the_watermark_of_1970_is_none_yet():
    first = progress(0)
    first["eventTime"] = {"watermark": "1970-01-01T00:00:00.000Z"}
    assert after(first).watermark is None


def test_the_table_has_a_cell_for_each_figure():
    html = table(after(progress(3, 1000, 10.0, "00:09:30", [operator(7, 5)])))
    assert html.count("<th>") == html.count("<td>") == 8
    assert "<td>1,000</td>" in html
    assert "<td>2026-01-01 00:09:30Z</td>" in html


def test_a_log_gets_a_line_for_each_look_with_something_new():
    stream = io.StringIO()
    screen = screen_for(stream)
    assert isinstance(screen, Lines)
    figures = after(progress(0, 10))
    screen.show(figures)
    screen.show(figures)
    figures.add([progress(1, 5)])
    screen.show(figures)
    screen.close("the query has ended")
    lines = stream.getvalue().splitlines()
    assert [text.split("   ")[0] for text in lines] == ["batch 0", "batch 1", "the query has ended"]


def test_a_terminal_of_80_columns_shows_all_counts(monkeypatch):
    figures = after(progress(3, 1_204_000, 31_500.0, "00:09:30", [operator(7, 5120)]))
    lines = {}
    for columns in (80, 160):
        monkeypatch.setenv("COLUMNS", str(columns))
        stream = io.StringIO()
        TerminalLine(stream).show(figures)
        lines[columns] = stream.getvalue().strip()
    assert lines[80].startswith("batch 3  1,204,000 rows  31,500/s  ")
    assert " behind  7 open  5,120 fired  " in lines[80]
    assert lines[80].endswith(" late")
    assert lines[160] == line(figures)


def test_a_terminal_gets_one_line_that_fits(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    stream = io.StringIO()
    stream.isatty = lambda: True
    screen = screen_for(stream)
    assert isinstance(screen, TerminalLine)
    screen.show(after(progress(0, 10)))
    screen.show(after())
    screen.close("the query runs on")
    first, second = stream.getvalue().split("\n")[0].split("\r")[1:]
    assert (len(first), len(second)) == (39, 39)
    assert first.startswith("batch 0  10 rows")
    assert stream.getvalue().endswith("\nthe query runs on\n")
