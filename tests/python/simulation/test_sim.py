"""The steps of a simulation as values, and how a run is shown."""

from datetime import datetime

import pytest
from pyspark.sql import Row

from spark_windowing import sim


@pytest.mark.parametrize(
    "text",
    [
        "element(user='a', price=3, ts='2026-01-01T00:00:01Z')",
        "element()",
        "element({'unit price': 3})",
        "watermark('2026-01-01T01:00:00Z')",
        "watermark(-1)",
        "processing_time(5000)",
        "snapshot_restore()",
        "element(user='a', input=2)",
        "element({'input': 3})",
        "element({'unit price': 3}, input=1)",
        "probe(200)",
        "idle(1)",
        "active(1)",
        "end()",
        "batch([element(user='a'), watermark(5), processing_time(7)])",
    ],
)
def test_steps_read_as_they_were_written_and_back(text):
    step = eval(text, vars(sim).copy())
    assert repr(step) == text
    assert eval(repr(step), vars(sim).copy()) == step


def test_a_row_comes_as_a_dict_or_by_keyword():
    assert sim.element({"user": "a"}, price=3) == sim.element(user="a", price=3)
    with pytest.raises(ValueError, match="element: two values for user"):
        sim.element({"user": "a"}, user="b")


@pytest.mark.parametrize(
    "make", [sim.watermark, sim.processing_time, sim.probe, sim.Watermark, sim.ProcessingTime, sim.Probe]
)
@pytest.mark.parametrize("value", [None, 1.5, True])
def test_times_are_text_datetimes_or_milliseconds(make, value):
    with pytest.raises(TypeError, match="must be ISO text, a datetime or an int of epoch milliseconds"):
        make(value)


def test_inputs_are_counted_from_zero():
    for make in (
        lambda n: sim.element(user="a", input=n),
        sim.idle,
        sim.active,
        lambda n: sim.Element((), n),
    ):
        with pytest.raises(ValueError, match="inputs are counted from 0, got -1"):
            make(-1)
        with pytest.raises(TypeError, match=r"input must be a whole number, got 1\.5"):
            make(1.5)


def test_inputs_of_a_join_have_names():
    assert repr(sim.element(user="a", input="clicks")) == "element(user='a', input='clicks')"
    assert (repr(sim.idle("clicks")), repr(sim.active("clicks"))) == ("idle('clicks')", "active('clicks')")


@pytest.mark.parametrize(
    "step", [sim.probe(1), sim.idle(0), sim.active(0), sim.end(), sim.snapshot_restore(), sim.batch([]), 5]
)
def test_a_batch_holds_rows_and_times(step):
    with pytest.raises(TypeError, match="batch: takes element, watermark and processing_time, got "):
        sim.batch([sim.element(), step])


@pytest.fixture
def run():
    window = Row(start=datetime(1970, 1, 1), end=datetime(1970, 1, 1, 0, 0, 10))  # noqa: DTZ001
    return sim.Run(
        (
            sim.StepResult(sim.element(user="a", n=1), [], {"late": []}, [], 1, 0),
            sim.StepResult(
                sim.watermark(9999),
                [Row(user="a", window=window, n=1), Row(user="b", window=None, n="<2>")],
                {"late": [Row(user="c", late_by_ms=3)]},
                [(("a",), window)],
                0,
                2,
                9999,
            ),
        )
    )


def test_a_run_prints_as_a_table(run, capsys):
    run.show()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[:2]] == [
        ["step", "main", "side", "cleared", "timers", "watermark"],
        ["0", "element(user='a',", "n=1)", "1", "event,", "0", "processing"],
    ]
    assert "user=a window=[1970-01-01 00:00:00, 1970-01-01 00:00:10) n=1" in lines[2]
    assert "late: user=c late_by_ms=3" in lines[2]
    assert "a [1970-01-01 00:00:00, 1970-01-01 00:00:10)" in lines[2].partition("late:")[2]
    assert lines[2].endswith("0 event, 2 processing  1970-01-01T00:00:09.999Z")
    assert lines[3].strip() == "user=b window=null n=<2>"
    assert repr(run).splitlines() == lines


def test_a_run_shows_itself_in_a_notebook(run):
    html = run._repr_html_()
    assert html.startswith("<table>")
    assert html.count("<tr>") == 3
    assert "n=1<br>user=b window=null n=&lt;2&gt;" in html
