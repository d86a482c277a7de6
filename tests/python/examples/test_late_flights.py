"""Three months of real flights in order of schedule: every firing and every late row as the naive model gives them."""

from collections import Counter, defaultdict

import pandas as pd
import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from flights import all_flights, closing_row, replay, write_files
from shared_list import SharedList
from window_model import WindowModel

pytestmark = pytest.mark.spark

BATCHES = 12
MINUTE = 60_000
HOUR = 60 * MINUTE
DELAY = 30 * MINUTE

# By name: the key, the window, the same for the model, the allowed lateness.
WINDOWS = {
    "tumbling": (
        "origin",
        sw.TumblingEventTimeWindows.of("1 hour"),
        lambda t: (t - t % HOUR, t - t % HOUR + HOUR),
        2 * HOUR,
    ),
    "session": (
        "carrier",
        sw.EventTimeSessionWindows.with_gap("30 minutes"),
        lambda t: (t, t + 30 * MINUTE),
        4 * HOUR,
    ),
}


@pytest.fixture(scope="module")
def pieces():
    """The flights of each micro-batch, of three months; those that never departed are among them."""
    flights = all_flights()
    flights = flights[flights["scheduled"] < pd.Timestamp("2013-04-01", tz="UTC")]
    size = -(-len(flights) // BATCHES)
    return [*(flights.iloc[i : i + size] for i in range(0, len(flights), size)), closing_row(flights)]


@pytest.fixture(scope="module")
def streamed(spark, pieces, tmp_path_factory):
    """What the streams give, by name."""
    folder = tmp_path_factory.mktemp("late")
    write_files(pieces, folder / "in")
    stream = replay(spark, folder / "in", f"{DELAY // MINUTE} minutes")
    outputs, queries = {}, []
    try:
        for name, (key, window, _, lateness) in WINDOWS.items():
            result = (
                sw.key_by(stream, key)
                .window(window)
                .allowed_lateness(f"{lateness // HOUR} hours")
                .side_output_late_data("late")
                .aggregate(F.count("*").alias("flights"), F.sum("delay").alias("delay"))
            )
            outputs[name] = Outputs(key, folder)
            function = sw.for_each_output(main=outputs[name].add_fired, late=outputs[name].add_late)
            writer = sw.all_outputs(result).writeStream.foreachBatch(function)
            writer = writer.option("checkpointLocation", str(folder / name))
            queries.append(writer.trigger(availableNow=True).start())
        for query in queries:
            query.awaitTermination()
    finally:
        for query in queries:
            query.stop()
    return {name: output.read() for name, output in outputs.items()}


class Outputs:
    """What a stream put out, by micro-batch: firings as (key, window, count, sum), late rows as `late_row` has them."""

    def __init__(self, key, folder):
        self.key = key
        self._fired, self._late = SharedList(folder), SharedList(folder)

    def add_fired(self, rows, batch):
        shown = rows.select(self.key, *millis("window.start", "window.end"), "flights", "delay")
        rows = [(key, (start, end), n, delay) for key, start, end, n, delay in shown.collect()]
        self._fired.append((batch, rows))

    def add_late(self, rows, batch):
        times = millis("departed", "missed_window.start", "missed_window.end")
        shown = rows.select(self.key, *times, "delay", "late_by_ms", "late_reason")
        self._late.append((batch, [tuple(row) for row in shown.collect()]))

    def read(self):
        """Both by micro-batch."""
        return by_batch(self._fired), by_batch(self._late)


def by_batch(pieces):
    found = defaultdict(list)
    for batch, rows in pieces:
        found[batch] += rows
    return found


def millis(*columns):
    return [F.unix_millis(column) for column in columns]


def play(pieces, name):
    """Give the micro-batches to the model: yields the firings and the late rows of each."""
    key, _, window_of, lateness = WINDOWS[name]
    model = WindowModel(window_of, lateness, merging=name == "session")
    newest = DELAY  # Spark's watermark is 0 before the first row
    for piece in pieces:
        watermark = newest - DELAY - 1  # as Flink counts it: one less than Spark's
        times = [None if pd.isna(time) else time.value // 1_000_000 for time in piece["departed"]]
        delays = [None if pd.isna(delay) else int(delay) for delay in piece["delay"]]
        fired, late = model.batch(zip(piece[key], times, delays, strict=True), watermark)
        newest = max([newest, *(time for time in times if time is not None)])
        fired += model.advance(newest - DELAY - 1)
        yield fired, [late_row(row, missed, watermark) for row, missed in late]


def late_row(row, missed, watermark):
    """A row of the side output: key, time, missed window, value, how late, why."""
    key, time, delay = row
    if time is None:
        return key, None, None, None, delay, None, "no event time"
    return key, time, *missed, delay, watermark - time, "late"


def by_window(fired):
    """The firings of each window, in order: the order among windows and keys is free."""
    windows = defaultdict(list)
    for key, window, count, total in fired:
        windows[key, window].append((count, total))
    return windows


@pytest.mark.parametrize("name", WINDOWS)
def test_every_firing_and_every_late_row_is_as_the_model_has_it(streamed, pieces, name):
    all_fired, all_late = streamed[name]
    refired = late_rows = 0
    for batch, (fired, late) in enumerate(play(pieces, name)):
        assert by_window(all_fired[batch]) == by_window(fired), f"micro-batch {batch}"
        assert Counter(all_late[batch]) == Counter(late), f"micro-batch {batch}"
        refired += len(fired) - len(by_window(fired))
        late_rows += sum(row[-1] == "late" for row in late)
    assert max(all_fired) <= batch
    assert refired > 100
    assert late_rows > 60
