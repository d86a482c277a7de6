"""One row a key and window in a table of each store, for every course that firings, sessions and micro-batches take."""

from functools import partial

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import StreamingQueryException
from pyspark.errors.exceptions.base import PySparkException
from pyspark.sql import functions as F

import spark_windowing as sw
from firings import EACH, counted, sessions, tumbling

# Streams


def test_early_on_time_and_late_firings_are_one_row_and_late_rows_go_to_their_own_function(
    store, visits, run
):
    course, late = [], []
    stream = visits(
        [("a", 1), ("a", 2), (None, 3)], [("b", 12)], [("b", 13)], [("a", 5)], [("b", 40)], [("a", 6)]
    )
    result = tumbling(stream)
    write = store.upsert(result)

    def main(frame, batch):
        write(frame, batch)
        course.append(store.rows("n", "timing", "number"))

    run(sw.all_outputs(result), sw.for_each_output(main=main, late=lambda f, _: late.extend(f.collect())))
    early, on_time = (None, 0, 10, 1, "early", 0), (None, 0, 10, 1, "on_time", 1)
    assert course[:4] == [
        [early, ("a", 0, 10, 2, "early", 1)],
        [on_time, ("a", 0, 10, 2, "on_time", 2), ("b", 10, 20, 1, "early", 0)],
        [on_time, ("a", 0, 10, 2, "on_time", 2), ("b", 10, 20, 2, "early", 1)],
        [on_time, ("a", 0, 10, 3, "late", 3), ("b", 10, 20, 2, "early", 1)],
    ]
    assert store.rows("n", "timing") == [
        (None, 0, 10, 1, "on_time"),
        ("a", 0, 10, 3, "late"),
        ("b", 10, 20, 2, "on_time"),
        ("b", 40, 50, 1, "early"),
    ]
    assert [(row.user, row.second) for row in late] == [("a", 6)]


def unfinish(checkpoint, batch):
    """Make the checkpoint that of a query that was killed behind the write of a micro-batch."""
    for name in (f"{batch}", f".{batch}.crc"):
        (checkpoint / "commits" / name).unlink(missing_ok=True)


def test_a_micro_batch_that_runs_again_writes_nothing_to_two_tables_and_a_new_checkpoint_begins_anew(
    store, visits, run, tmp_path
):
    result = sessions(visits([("a", 0), ("a", 20)], [("a", 10), ("b", 0)]))

    def both():
        upserts = [store.upsert(result, name) for name in ("visits", "copies")]
        return lambda frame, batch: [upsert(frame, batch) for upsert in upserts]

    def seen():
        return [store.rows("n", table=name) for name in ("visits", "copies")]

    def versions():
        return [store.versions(name) for name in ("visits", "copies")]

    run(result, both())
    assert seen() == [[("a", 0, 30, 3), ("b", 0, 10, 1)]] * 2
    first = versions()
    unfinish(tmp_path / "checkpoint", 1)
    again = run(result, both())
    assert [progress["batchId"] for progress in again.recentProgress][:1] == [1]
    assert versions() == first
    run(result, both(), "another checkpoint")
    assert seen() == [[("a", 0, 30, 3), ("b", 0, 10, 1)]] * 2
    assert all(new != old for new, old in zip(versions(), first, strict=True))


def test_the_sink_writes_as_the_function_does_also_when_a_micro_batch_runs_again(store, visits, tmp_path):
    result = sessions(visits([("a", 0), ("a", 20)], [("a", 10), ("b", 0)]))
    store.upsert(result, "copies")  # makes the namespace of Iceberg

    def run():
        writer = result.writeStream.format("windows-upsert").options(**store.options("visits"))
        query = (
            writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        return query

    query = run()
    assert store.options("visits")["table"] in query.lastProgress["sink"]["description"]
    assert store.rows("n") == [("a", 0, 30, 3), ("b", 0, 10, 1)]
    first = store.versions()
    unfinish(tmp_path / "checkpoint", 1)
    again = run()
    assert [progress["batchId"] for progress in again.recentProgress][:1] == [1]
    assert store.versions() == first


def test_the_format_writes_a_result_and_a_micro_batch_whose_query_it_finds(store, visits, run, tmp_path):
    result = sessions(visits([("a", 0), ("a", 20)], [("a", 10), ("b", 0)]))
    store.upsert(result)

    def write(frame, batch):
        writer = frame.write.format("windows-upsert").options(**store.options("visits"))
        writer.options(keys='["user"]', batchId=batch).mode("append").save()

    run(result, write)
    assert store.rows("n") == [("a", 0, 30, 3), ("b", 0, 10, 1)]
    first = store.versions()
    unfinish(tmp_path / "checkpoint", 1)
    run(result, write)
    assert store.versions() == first


def test_a_second_call_in_a_micro_batch_fails_as_it_would_be_left_out(store, visits, run):
    result = sessions(visits([("a", 0), ("b", 0)]))
    write = store.upsert(result)

    def halves(frame, batch):
        frame.persist().count()
        write(frame.where("user = 'a'"), batch)
        write(frame.where("user = 'b'"), batch)

    called = f"upsert_to_{store.name} was called twice for {store.named('visits')}.* in micro-batch 0"
    with pytest.raises(StreamingQueryException, match=called):
        run(result, halves)
    assert store.rows("n") == [("a", 0, 10, 1)]


def test_the_query_must_be_that_of_the_result(store, visits, run):
    result = tumbling(visits([("a", 1)]))
    said = rf"the micro-batch has output, main, late: .*main=sw\.upsert_to_{store.name}"
    with pytest.raises(StreamingQueryException, match=said):
        run(sw.all_outputs(result), store.upsert(result))


# Micro-batches as the operator gives them


def test_sessions_that_became_part_of_another_one_go_in_one_micro_batch_and_across_several(
    store, result, batch
):
    write = store.upsert(result)
    write(batch(("a", 0, 10, 0, 1), ("a", 20, 30, 0, 1), ("b", 0, 10, 0, 1), (None, 0, 10, 0, 1)), 0)
    write(batch(("a", 0, 30, 2, 3, (0, 10), (20, 30)), (None, 0, 15, 1, 2, (0, 10)), ("c", 0, 10, 0, 1)), 1)
    assert store.rows("n") == [(None, 0, 15, 2), ("a", 0, 30, 3), ("b", 0, 10, 1), ("c", 0, 10, 1)]
    within = [
        ("a", 0, 40, 3, 4, (0, 30)),
        ("a", 0, 50, 4, 5, (0, 40)),
        ("a", 0, 50, 5, 6),
        ("b", 30, 40, 0, 1),
        ("b", 0, 40, 1, 3, (0, 10), (30, 40)),
        (None, 20, 30, 0, 1),
        (None, 0, 30, 2, 4, (0, 15), (20, 30)),
    ]
    write(batch(*reversed(within)), 2)
    assert store.rows("n") == [(None, 0, 30, 4), ("a", 0, 50, 6), ("b", 0, 40, 3), ("c", 0, 10, 1)]
    before = store.versions()
    write(batch(), 3)
    assert store.versions() == before


def test_a_session_that_merges_and_has_the_bounds_of_a_merged_one_again_stays(store, result, batch):
    write = store.upsert(result)
    write(batch(("a", 0, 10, 0, 1), ("b", 0, 10, 0, 1)), 0)
    write(batch(("a", 0, 10, 1, 2, (0, 10)), ("b", 0, 30, 1, 2, (0, 10))), 1)
    assert store.rows("n") == [("a", 0, 10, 2), ("b", 0, 30, 2)]
    write(batch(("b", 0, 40, 2, 3, (0, 30)), ("b", 0, 30, 3, 4, (0, 40)), ("a", 0, 20, 2, 3, (0, 10))), 2)
    assert store.rows("n") == [("a", 0, 20, 3), ("b", 0, 30, 4)]


def test_the_global_window_and_windows_without_keys(spark, store):
    visits = spark.createDataFrame([("a", 1), ("a", 2), (None, 3), ("b", 4)], "user string, second int")
    of_user = counted(sw.key_by(visits, "user").window(sw.GlobalWindows.create()).trigger(EACH))
    of_all = counted(sw.window_all(visits, sw.GlobalWindows.create()).trigger(EACH))
    for table, result, expected in (
        ("visits", of_user, [(None, 1), ("a", 2), ("b", 1)]),
        ("everyone", of_all, [(4,)]),
    ):
        write = store.upsert(result, table)
        for number in range(2):
            write(result, number)
        assert store.all_rows(table) == sorted(expected, key=str)


def test_a_function_that_gives_several_rows_a_firing_is_refused(store, result, batch):
    write = store.upsert(result)
    said = rf'upsert_to_{store.name} .* a firing gave several: \{{"user":"a","window":.*"number":3\}}'
    # PySpark 3.5 shows the errors of tasks as they are.
    with pytest.raises((PySparkException, Py4JJavaError, ValueError), match=said):
        write(batch(("a", 0, 10, 3, 1), ("a", 0, 10, 3, 2)), 0)
    write(batch(("a", 0, 10, 3, 1), ("a", 0, 10, 3, 2), ("a", 0, 10, 4, 3)), 0)
    assert store.rows("n") == [("a", 0, 10, 3)]


# Tables


def test_a_table_of_ones_own_may_have_more_columns_and_no_pane(store, result, batch):
    if store.name == "iceberg":
        store.run("CREATE NAMESPACE IF NOT EXISTS lake.shop")
    store.make("visits", f"note string, n int, USER string, {store.own}")
    write = store.upsert(result)
    write(batch(("a", 0, 10, 0, 1), ("b", 0, 10, 0, 1)), 0)
    store.run(f"UPDATE {store.named('visits')} SET note = 'mine' WHERE user = 'a'")
    write(batch(("a", 0, 10, 1, 2)), 1)
    assert store.rows("n", "note") == [("a", 0, 10, 2, "mine"), ("b", 0, 10, 1, None)]


def test_a_query_that_begins_to_fill_windows_needs_the_field_of_the_pane(spark, lakehouse, visits):
    windows = sw.key_by(visits([]), "user", time="ts").time_window("10 seconds").with_pane()
    lakehouse.upsert(windows.aggregate(F.count("*").alias("n")))
    filled = windows.fill_empty(for_at_most="1 minute").aggregate(F.count("*").alias("n"))
    with pytest.raises(ValueError, match=r"ADD COLUMNS \(pane\.is_empty BOOLEAN\)$") as error:
        lakehouse.upsert(filled)
    spark.sql(str(error.value).partition(": ")[2])
    lakehouse.upsert(filled)


def test_names_and_keys_of_all_kinds_in_a_lakehouse(spark, lakehouse):
    rows = [
        (1.5, ("x", None), 1),
        (float("nan"), ("y", 2), 2),
        (float("nan"), ("y", 2), 3),
        (0.0, None, 1),
        (-0.0, None, 1),
    ]
    visits = spark.createDataFrame(rows, "`a.b` double, `change` struct<`c``d`:string,e:int>, s int")
    windows = sw.key_by(visits.withColumn("ts", F.timestamp_seconds("s")), "`a.b`", "change", time="ts")
    result = (
        windows.time_window("10 seconds").trigger(EACH).with_pane().aggregate(F.count("*").alias("target"))
    )
    write = lakehouse.upsert(result)
    for batch in range(2):
        write(result, batch)
    found = spark.sql(f"SELECT `a.b`, `change`.e, target FROM {lakehouse.named('visits')}").collect()
    assert sorted(map(str, map(tuple, found))) == ["(0.0, None, 2)", "(1.5, None, 1)", "(nan, 2, 2)"]


def test_what_cannot_be_written_is_refused_at_the_call(spark, store, result):
    user = sw.key_by(spark.createDataFrame([], "user string, ts timestamp"), "user", time="ts")
    for wrong, said in (
        (user.time_window("1 minute").aggregate(F.count("*")), r"type \.with_pane\(\) before \.aggregate"),
        (result.withColumnRenamed("user", "u"), "has no column user any more: .* without user, window, pane"),
        (result.drop("pane"), "has no column pane any more"),
        (
            user.time_window("1 minute").changelog().aggregate(F.count("*")),
            r"type \.with_pane\(\) in place of",
        ),
    ):
        with pytest.raises(ValueError, match=said):
            store.upsert(wrong)
    postgres = partial(sw.upsert_to_postgres, url="")
    with pytest.raises(TypeError, match=f"upsert_to_{store.name} takes the name of a table as a text"):
        {"delta": sw.upsert_to_delta, "iceberg": sw.upsert_to_iceberg, "postgres": postgres}[store.name](
            result, result
        )


def test_options_of_the_sink_that_are_missing_wrong_or_unknown_are_refused(store, visits, tmp_path):
    stream = sessions(visits([("a", 0)]))
    right = store.options("visits")
    without = lambda name: {option: value for option, value in right.items() if option != name}  # noqa: E731
    wrong = [
        (without("store"), "the option store is missing"),
        ({**right, "store": "mysql"}, "must be one of delta, iceberg, postgres, got mysql"),
        (without("table"), "the option table is missing"),
    ]
    if store.name == "postgres":
        wrong.append((without("url"), "the option url is missing"))
    else:
        wrong.append(({**right, "url": "jdbc:.."}, f"the store {store.name} takes no option url"))
    for options, said in wrong:
        writer = stream.writeStream.format("windows-upsert").options(**options)
        with pytest.raises(Exception, match=said):
            writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start()
