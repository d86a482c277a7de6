"""One row a key and window in a Delta table, for every course that firings, sessions and micro-batches take."""

from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.errors.exceptions.base import PySparkException
from pyspark.sql import functions as F

import spark_windowing as sw
from firings import EACH, counted, micro_batch, sessions, tumbling
from pages import play

PAGE = Path(__file__).parents[2] / "docs" / "upserts.md"
SETTINGS = [f"spark.databricks.delta.write.txn{name}" for name in ("AppId", "Version")]


@pytest.fixture
def result(spark):
    """A static result without rows: what is written is made by `firings`."""
    return sessions(spark.createDataFrame([], "user string, ts timestamp"))


@pytest.fixture
def firings(spark, result):
    return lambda *lines: micro_batch(spark, result.schema, *lines)


def rows(spark, table, *columns):
    """User, bounds of the window in seconds, and what else is asked for."""
    bounds = ["unix_seconds(window.start)", "unix_seconds(window.end)"]
    found = spark.sql(f"SELECT * FROM {table}").selectExpr("user", *bounds, *columns).collect()
    return sorted(map(tuple, found), key=lambda row: (row[0] or "", row))


def version(spark, table):
    return spark.sql(f"DESCRIBE HISTORY {table}").agg(F.max("version")).first()[0]


# Streams


def test_early_on_time_and_late_firings_are_one_row_and_late_rows_go_to_their_own_function(
    spark, visits, run, table
):
    late, settings = f"{table}_late", []

    def append(frame, batch):
        writer = (
            frame.select("user", "second").write.option("txnAppId", "late visits").option("txnVersion", batch)
        )
        writer.saveAsTable(late, format="delta", mode="append")
        settings.extend(frame.sparkSession.conf.get(name, None) for name in SETTINGS)

    stream = visits(
        [("a", 1), ("a", 2), (None, 3)], [("b", 12)], [("b", 13)], [("a", 5)], [("b", 40)], [("a", 6)]
    )
    result = tumbling(stream)
    run(sw.all_outputs(result), sw.for_each_output(main=sw.upsert_to_delta(result, table), late=append))
    early, on_time = (None, 0, 10, 1, "early", 0), (None, 0, 10, 1, "on_time", 1)
    course = [
        [early, ("a", 0, 10, 2, "early", 1)],
        [on_time, ("a", 0, 10, 2, "on_time", 2), ("b", 10, 20, 1, "early", 0)],
        [on_time, ("a", 0, 10, 2, "on_time", 2), ("b", 10, 20, 2, "early", 1)],
        [on_time, ("a", 0, 10, 3, "late", 3), ("b", 10, 20, 2, "early", 1)],
    ]
    for i, expected in enumerate(course):
        assert rows(spark, f"{table} VERSION AS OF {1 + i}", "n", "pane.timing", "pane.number") == expected
    assert rows(spark, table, "n", "pane.timing") == [
        (None, 0, 10, 1, "on_time"),
        ("a", 0, 10, 3, "late"),
        ("b", 10, 20, 2, "on_time"),
        ("b", 40, 50, 1, "early"),
    ]
    assert [tuple(row) for row in spark.table(late).collect()] == [("a", 6)]
    assert set(settings) == {None}


def test_a_micro_batch_that_runs_again_makes_no_version_of_two_tables_and_a_new_checkpoint_begins_anew(
    spark, visits, run, table, tmp_path
):
    result = sessions(visits([("a", 0), ("a", 20)], [("a", 10), ("b", 0)]))
    other = f"{table}_2"

    def both():
        upserts = [sw.upsert_to_delta(result, name) for name in (table, other)]
        return lambda frame, batch: [upsert(frame, batch) for upsert in upserts]

    def seen():
        return [(rows(spark, name, "n"), version(spark, name)) for name in (table, other)]

    expected = [("a", 0, 30, 3), ("b", 0, 10, 1)]
    run(result, both())
    assert seen() == [(expected, 2)] * 2
    for name in ("1", ".1.crc"):
        (tmp_path / "checkpoint" / "commits" / name).unlink(missing_ok=True)
    again = run(result, both())
    assert [progress["batchId"] for progress in again.recentProgress][:1] == [1]
    assert seen() == [(expected, 2)] * 2
    run(result, both(), "another checkpoint")
    assert seen() == [(expected, 4)] * 2


def test_a_second_call_in_a_micro_batch_fails_as_delta_would_leave_it_out(spark, visits, run, table):
    result = sessions(visits([("a", 0), ("b", 0)]))
    write = sw.upsert_to_delta(result, table)

    def halves(frame, batch):
        frame.persist().count()
        write(frame.where("user = 'a'"), batch)
        write(frame.where("user = 'b'"), batch)

    with pytest.raises(
        StreamingQueryException, match=f"upsert_to_delta was called twice for {table} in micro-batch 0"
    ):
        run(result, halves)
    assert rows(spark, table, "n") == [("a", 0, 10, 1)]


def test_the_query_must_be_that_of_the_result(visits, run, table):
    result = tumbling(visits([("a", 1)]))
    with pytest.raises(
        StreamingQueryException, match=r"the micro-batch has output, main, late: .*main=sw\.upsert_to_delta"
    ):
        run(sw.all_outputs(result), sw.upsert_to_delta(result, table))


# Micro-batches as the operator gives them


def test_sessions_that_became_part_of_another_one_go_in_one_micro_batch_and_across_several(
    spark, result, firings, table
):
    write = sw.upsert_to_delta(result, table)
    write(firings(("a", 0, 10, 0, 1), ("a", 20, 30, 0, 1), ("b", 0, 10, 0, 1), (None, 0, 10, 0, 1)), 0)
    write(firings(("a", 0, 30, 2, 3, (0, 10), (20, 30)), (None, 0, 15, 1, 2, (0, 10)), ("c", 0, 10, 0, 1)), 1)
    assert rows(spark, table, "n") == [(None, 0, 15, 2), ("a", 0, 30, 3), ("b", 0, 10, 1), ("c", 0, 10, 1)]
    within = [
        ("a", 0, 40, 3, 4, (0, 30)),
        ("a", 0, 50, 4, 5, (0, 40)),
        ("a", 0, 50, 5, 6),
        ("b", 30, 40, 0, 1),
        ("b", 0, 40, 1, 3, (0, 10), (30, 40)),
        (None, 20, 30, 0, 1),
        (None, 0, 30, 2, 4, (0, 15), (20, 30)),
    ]
    write(firings(*reversed(within)), 2)
    assert rows(spark, table, "n") == [(None, 0, 30, 4), ("a", 0, 50, 6), ("b", 0, 40, 3), ("c", 0, 10, 1)]


def test_a_micro_batch_without_firings_makes_no_version(spark, result, firings, table):
    write = sw.upsert_to_delta(result, table)
    write(firings(), 0)
    assert (rows(spark, table), version(spark, table)) == ([], 0)


def test_the_global_window_and_windows_without_keys(spark, table):
    visits = spark.createDataFrame([("a", 1), ("a", 2), (None, 3), ("b", 4)], "user string, second int")
    of_user = counted(sw.key_by(visits, "user").window(sw.GlobalWindows.create()).trigger(EACH))
    of_all = counted(sw.window_all(visits, sw.GlobalWindows.create()).trigger(EACH))
    for result, expected in (of_user, [(None, 1), ("a", 2), ("b", 1)]), (of_all, [(4,)]):
        write = sw.upsert_to_delta(result, table)
        for batch in range(2):
            write(result, batch)
        found = spark.table(table).drop("window", "pane").collect()
        assert sorted(map(tuple, found), key=str) == sorted(expected, key=str)
        spark.sql(f"DROP TABLE {table}")


def test_names_and_keys_of_all_kinds(spark, table):
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
    path = f"delta.`{Path(spark.conf.get('spark.sql.warehouse.dir').removeprefix('file:'))}/{table}`"
    write = sw.upsert_to_delta(result, path)
    for batch in range(2):
        write(result, batch)
    found = spark.sql(f"SELECT `a.b`, `change`.e, target FROM {path}").collect()
    assert sorted(map(str, map(tuple, found))) == ["(0.0, None, 2)", "(1.5, None, 1)", "(nan, 2, 2)"]


def test_a_function_that_gives_several_rows_a_firing_is_refused(spark, result, firings, table):
    write = sw.upsert_to_delta(result, table)
    with pytest.raises(
        PySparkException, match=r'a firing gave several: \{"user":"a","window":.*"number":3\}'
    ):
        write(firings(("a", 0, 10, 3, 1), ("a", 0, 10, 3, 2)), 0)
    write(firings(("a", 0, 10, 3, 1), ("a", 0, 10, 3, 2), ("a", 0, 10, 4, 3)), 0)
    assert rows(spark, table, "n") == [("a", 0, 10, 3)]


def test_files_without_windows_of_the_micro_batch_are_not_read(spark, result, firings, table):
    write = sw.upsert_to_delta(result, table)
    write(firings(("a", 0, 10, 0, 1)), 0)
    (old,) = spark.table(table).inputFiles()
    write(firings(("a", 1000, 1010, 0, 1)), 1)
    Path(old.removeprefix("file:")).unlink()
    write(firings(("a", 1000, 1010, 1, 2), ("a", 2000, 2010, 0, 1)), 2)
    assert version(spark, table) == 3


# Tables


def test_a_table_of_ones_own_may_have_more_columns_and_no_pane(spark, result, firings, table):
    times = "struct<start:timestamp,end:timestamp>"
    spark.sql(f"CREATE TABLE {table} (note string, n int, `window` {times}, USER string) USING delta")
    write = sw.upsert_to_delta(result, table)
    write(firings(("a", 0, 10, 0, 1), ("b", 0, 10, 0, 1)), 0)
    spark.sql(f"UPDATE {table} SET note = 'mine' WHERE user = 'a'")
    write(firings(("a", 0, 10, 1, 2)), 1)
    assert rows(spark, table, "n", "note") == [("a", 0, 10, 2, "mine"), ("b", 0, 10, 1, None)]


def test_what_cannot_be_written_is_refused_at_the_call(spark, result, table):
    user = sw.key_by(spark.createDataFrame([], "user string, ts timestamp"), "user", time="ts")
    for argument, error in (
        (
            (user.time_window("1 minute").aggregate(F.count("*")), table),
            r"type \.with_pane\(\) before \.aggregate",
        ),
        (
            (result.withColumnRenamed("user", "u"), table),
            "has no column user any more: .* without user, window, pane",
        ),
        ((result.drop("pane"), table), "has no column pane any more"),
        (
            (user.time_window("1 minute").changelog().aggregate(F.count("*")), table),
            r"type \.with_pane\(\) in place of \.changelog\(\)",
        ),
    ):
        with pytest.raises(ValueError, match=error):
            sw.upsert_to_delta(*argument)
    with pytest.raises(TypeError, match="takes the name of a table or"):
        sw.upsert_to_delta(result, spark.range(1))
    assert not spark.catalog.tableExists(table)
    spark.sql(f"CREATE TABLE {table} (n bigint) USING parquet")
    with pytest.raises(ValueError, match=f"writes Delta tables, and {table} is in format parquet"):
        sw.upsert_to_delta(result, table)
    spark.sql(f"DROP TABLE {table}")
    spark.sql(f"CREATE TABLE {table} (user string, n bigint) USING delta")
    with pytest.raises(
        ValueError, match=rf"ALTER TABLE {table} ADD COLUMNS \(`window` struct<start:timestamp,end:.*>\)$"
    ):
        sw.upsert_to_delta(result, table)


def test_the_code_of_its_page_runs(spark, tmp_path):
    play(PAGE, tmp_path, without={"PostgreSQL"})
    assert spark.table("clicks").columns == ["user", "window", "pane", "clicks"]
    assert spark.streams.active == []
