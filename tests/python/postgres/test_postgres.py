"""One row a key and window in a table of PostgreSQL, for every course that firings, sessions and micro-batches take."""

import sys
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path

import psycopg
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.errors.exceptions.base import PySparkException
from pyspark.sql import functions as F

import firings
import spark_windowing as sw
from firings import EACH, counted, sessions, tumbling
from pages import play

pytestmark = [pytest.mark.spark, pytest.mark.classic("upsert_to_postgres is refused by Spark Connect")]

PAGE = Path(__file__).parents[3] / "docs" / "postgres.md"


@pytest.fixture
def visits(spark, tmp_path):
    return lambda *batches: firings.visits(spark, tmp_path / "visits", *batches)


@pytest.fixture
def run(tmp_path):
    return lambda frame, write, checkpoint="checkpoint": firings.run(frame, write, tmp_path / checkpoint)


@pytest.fixture
def result(spark):
    """A static result without rows: what is written is made by `batch`."""
    return sessions(spark.createDataFrame([], "user string, ts timestamp"))


@pytest.fixture
def batch(spark, result):
    return lambda *lines: firings.micro_batch(spark, result.schema, *lines)


@pytest.fixture
def upsert(server, database):
    """Make the function for a result and a table of the database of the test."""
    assert database.info.dbname == "shop"
    return lambda result, table="visits": sw.upsert_to_postgres(
        result, table, connection=server.connection("shop")
    )


def rows(database, *columns, table="visits"):
    """User, bounds of the window in seconds, and what else is asked for."""
    bounds = [f"extract(epoch FROM window_{bound})::int" for bound in ("start", "end")]
    found = database.execute(f'SELECT "user", {", ".join([*bounds, *columns])} FROM {table}').fetchall()
    return sorted(found, key=lambda row: (row[0] or "", row))


def versions(database):
    """The transactions that wrote the rows."""
    return rows(database, "xmin::text")


# Streams


def test_early_on_time_and_late_firings_are_one_row_and_late_rows_go_to_their_own_function(
    visits, run, upsert, database
):
    course, late = [], []
    stream = visits(
        [("a", 1), ("a", 2), (None, 3)], [("b", 12)], [("b", 13)], [("a", 5)], [("b", 40)], [("a", 6)]
    )
    result = tumbling(stream)
    write = upsert(result)

    def main(frame, batch):
        write(frame, batch)
        course.append(rows(database, "n", "pane->>'timing'", "(pane->>'number')::int"))

    run(sw.all_outputs(result), sw.for_each_output(main=main, late=lambda f, _: late.extend(f.collect())))
    early, on_time = (None, 0, 10, 1, "early", 0), (None, 0, 10, 1, "on_time", 1)
    assert course[:4] == [
        [early, ("a", 0, 10, 2, "early", 1)],
        [on_time, ("a", 0, 10, 2, "on_time", 2), ("b", 10, 20, 1, "early", 0)],
        [on_time, ("a", 0, 10, 2, "on_time", 2), ("b", 10, 20, 2, "early", 1)],
        [on_time, ("a", 0, 10, 3, "late", 3), ("b", 10, 20, 2, "early", 1)],
    ]
    assert rows(database, "n", "pane->>'timing'") == [
        (None, 0, 10, 1, "on_time"),
        ("a", 0, 10, 3, "late"),
        ("b", 10, 20, 2, "on_time"),
        ("b", 40, 50, 1, "early"),
    ]
    assert [(row.user, row.second) for row in late] == [("a", 6)]


def test_a_micro_batch_that_runs_again_writes_no_row_of_any_table_and_a_new_checkpoint_begins_anew(
    visits, run, upsert, database, tmp_path
):
    result = sessions(visits([("a", 0), ("a", 20)], [("a", 10), ("b", 0)]))
    tables = ("visits", "copies", '"100%s".copies')
    database.execute('CREATE SCHEMA "100%s"')

    def both():
        upserts = [upsert(result, table) for table in tables]
        return lambda frame, batch: [write(frame, batch) for write in upserts]

    def seen():
        return [rows(database, "n", "xmin::text", table=table) for table in tables]

    run(result, both())
    first = seen()
    for each in first:
        assert [row[:4] for row in each] == [("a", 0, 30, 3), ("b", 0, 10, 1)]
    for name in ("1", ".1.crc"):
        (tmp_path / "checkpoint" / "commits" / name).unlink(missing_ok=True)
    again = run(result, both())
    assert [progress["batchId"] for progress in again.recentProgress][:1] == [1]
    assert seen() == first
    run(result, both(), "another checkpoint")
    for each, before in zip(seen(), first, strict=True):
        assert [row[:4] for row in each] == [("a", 0, 30, 3), ("b", 0, 10, 1)]
        assert not {row[4] for row in each} & {row[4] for row in before}
    known = "SELECT table_name, batch_id FROM spark_windowing_batches ORDER BY table_name"
    assert database.execute(known).fetchall() == [("copies", 1), ("copies", 1), ("visits", 1), ("visits", 1)]


def test_a_server_that_crashes_behind_a_transaction_has_its_rows_and_they_are_not_written_again(
    visits, run, upsert, server, tmp_path
):
    result = sessions(visits([("a", 0), ("a", 20)], [("a", 10), ("b", 0)]))
    write = upsert(result)

    def crash(frame, batch):
        write(frame, batch)
        if batch == 1:
            server.crash()
            raise RuntimeError("the driver ends here")

    def seen():
        with psycopg.connect(server.connection("shop")) as database:
            return versions(database), rows(database, "n")

    with pytest.raises(StreamingQueryException, match="the driver ends here"):
        run(result, crash)
    assert not (tmp_path / "checkpoint" / "commits" / "1").exists()
    server.start()
    before = seen()
    assert before[1] == [("a", 0, 30, 3), ("b", 0, 10, 1)]
    run(result, upsert(result))
    assert seen() == before


def test_a_connection_that_ends_within_a_transaction_leaves_nothing_of_it(visits, run, upsert, database):
    result = sessions(visits([("a", 0), ("a", 20)], [("a", 10), ("b", 0), ("c", 0)]))
    write = upsert(result)
    database.execute(
        "CREATE FUNCTION leave() RETURNS trigger AS 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); "
        "RETURN NEW; END' LANGUAGE plpgsql"
    )
    database.execute(
        "CREATE TRIGGER b BEFORE INSERT ON visits FOR EACH ROW WHEN (NEW.user = 'b') EXECUTE FUNCTION leave()"
    )
    with pytest.raises(StreamingQueryException, match="terminating connection"):
        run(result, write)
    assert rows(database, "n") == [("a", 0, 10, 1), ("a", 20, 30, 1)]
    database.execute("DROP TRIGGER b ON visits")
    run(result, write)
    assert rows(database, "n") == [("a", 0, 30, 3), ("b", 0, 10, 1), ("c", 0, 10, 1)]


def test_a_second_call_in_a_micro_batch_fails_as_it_would_be_left_out(visits, run, upsert, database, server):
    result = sessions(visits([("a", 0), ("b", 0)]))
    write = upsert(result)

    def halves(frame, batch):
        frame.persist().count()
        write(frame.where("user = 'a'"), batch)
        write(frame.where("user = 'b'"), batch)

    called = (
        f"upsert_to_postgres was called twice for visits at 127.0.0.1:{server.port}/shop in micro-batch 0"
    )
    with pytest.raises(StreamingQueryException, match=called):
        run(result, halves)
    assert rows(database, "n") == [("a", 0, 10, 1)]


def test_the_query_must_be_that_of_the_result(visits, run, upsert):
    result = tumbling(visits([("a", 1)]))
    with pytest.raises(
        StreamingQueryException,
        match=r"the micro-batch has output, main, late: .*main=sw\.upsert_to_postgres",
    ):
        run(sw.all_outputs(result), upsert(result))


# Micro-batches as the operator gives them


def test_sessions_that_became_part_of_another_one_go_in_one_micro_batch_and_across_several(
    result, batch, upsert, database
):
    write = upsert(result)
    write(batch(("a", 0, 10, 0, 1), ("a", 20, 30, 0, 1), ("b", 0, 10, 0, 1), (None, 0, 10, 0, 1)), 0)
    write(batch(("a", 0, 30, 2, 3, (0, 10), (20, 30)), (None, 0, 15, 1, 2, (0, 10)), ("c", 0, 10, 0, 1)), 1)
    assert rows(database, "n") == [(None, 0, 15, 2), ("a", 0, 30, 3), ("b", 0, 10, 1), ("c", 0, 10, 1)]
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
    assert rows(database, "n") == [(None, 0, 30, 4), ("a", 0, 50, 6), ("b", 0, 40, 3), ("c", 0, 10, 1)]
    before = versions(database)
    write(batch(), 3)
    assert versions(database) == before


def test_the_global_window_and_windows_without_keys(spark, upsert, database):
    visits = spark.createDataFrame([("a", 1), ("a", 2), (None, 3), ("b", 4)], "user string, second int")
    of_user = counted(sw.key_by(visits, "user").window(sw.GlobalWindows.create()).trigger(EACH))
    of_all = counted(sw.window_all(visits, sw.GlobalWindows.create()).trigger(EACH))
    for table, result, expected in (
        ("users", of_user, [(None, None, None, 1), ("a", None, None, 2), ("b", None, None, 1)]),
        ("everyone", of_all, [(None, None, 4)]),
    ):
        write = upsert(result, table)
        for number in range(2):
            write(result, number)
        columns = '"user", ' if result is of_user else ""
        found = database.execute(f"SELECT {columns}window_start, window_end, n FROM {table}").fetchall()
        assert sorted(found, key=str) == sorted(expected, key=str)


def test_names_and_keys_of_all_kinds(spark, upsert, database):
    given = [
        (1.5, ("x", None), 1),
        (float("nan"), ("y", 2), 2),
        (float("nan"), ("y", 2), 3),
        (0.0, None, 1),
        (-0.0, None, 1),
    ]
    visits = spark.createDataFrame(given, '`a"b%s.c` double, `gone` struct<`c``d`:string,e:int>, s int')
    windows = sw.key_by(visits.withColumn("ts", F.timestamp_seconds("s")), '`a"b%s.c`', "gone", time="ts")
    result = windows.time_window("10 seconds").trigger(EACH).with_pane().aggregate(F.count("*").alias("t"))
    database.execute('CREATE SCHEMA "My shop"')
    for number in range(2):
        upsert(result, '"My shop"."Visits; DROP"')(result, number)
    names = 'SELECT "a""b%%s.c", gone->>\'e\', t FROM "My shop"."Visits; DROP"'
    found = database.execute(names, ()).fetchall()
    assert sorted(map(str, found)) == ["(0.0, None, 2)", "(1.5, None, 1)", "(nan, '2', 2)"]
    assert database.execute('SELECT count(*) FROM "My shop".spark_windowing_batches').fetchone() == (0,)


def test_values_of_all_types_in_every_time_zone(spark, upsert, database):
    # 02:30 came twice in Berlin on this day; seconds have fractions.
    values = {
        "text": ("F.lit('\\\\N \\t\\n\\r \\\\ ä ')", "\\N \t\n\r \\ ä "),
        "yes": ("F.lit(True)", True),
        "tiny": ("F.lit(-128).cast('byte')", -128),
        "small": ("F.lit(-32768).cast('short')", -32768),
        "large": ("F.lit(-(2**63) + 1)", -(2**63) + 1),
        "real": ("F.lit(0.1).cast('float')", 0.1),
        "double": ("F.lit(float('-inf'))", float("-inf")),
        "amount": (
            "F.lit('12345678901234567890.123').cast('decimal(30,3)')",
            Decimal("12345678901234567890.123"),
        ),
        "day": ("F.lit('1582-10-14').cast('date')", date(1582, 10, 14)),
        "first": (
            "F.timestamp_micros(F.lit(1761438600123456))",
            datetime(2025, 10, 26, 0, 30, 0, 123456, timezone.utc),
        ),
        "second": (
            "F.timestamp_micros(F.lit(1761442200123456))",
            datetime(2025, 10, 26, 1, 30, 0, 123456, timezone.utc),
        ),
        "old": ("F.timestamp_seconds(F.lit(-5000000000))", datetime(1811, 7, 23, 15, 6, 40, 0, timezone.utc)),
        "local": (
            "F.lit('2025-10-26 02:30:00.5').cast('timestamp_ntz')",
            datetime(2025, 10, 26, 2, 30, 0, 500000),  # noqa: DTZ001
        ),
        "bytes": ("F.unhex(F.lit('00FF'))", b"\x00\xff"),
        "list": ("F.array(F.lit(1), F.lit(None))", [1, None]),
        "map": ("F.create_map(F.lit('k'), F.lit(True))", {"k": True}),
        "nested": (
            "F.struct(F.timestamp_micros(F.lit(1761438600123456)).alias('at'), F.lit(None).cast('int').alias('x'))",
            {"at": "2025-10-26 00:30:00.123456Z", "x": None},
        ),
        "nothing": ("F.lit(None).cast('timestamp')", None),
        "no_text": ("F.lit(None).cast('string')", None),
        "no_list": ("F.lit(None).cast('array<int>')", None),
        "no_bytes": ("F.lit(None).cast('binary')", None),
        "empty": ("F.lit('')", ""),
    }
    visits = spark.createDataFrame([("a", 1)], "user string, s int").withColumn(
        "ts", F.timestamp_seconds("s")
    )
    columns = [F.first(eval(code)).alias(name) for name, (code, _) in values.items()]
    result = sw.key_by(visits, "user", time="ts").time_window("10 seconds").with_pane().aggregate(*columns)
    zone = spark.conf.get("spark.sql.session.timeZone")
    database.execute("SET TIME ZONE 'UTC'")
    for table, name in (("utc", "UTC"), ("berlin", "Europe/Berlin")):
        spark.conf.set("spark.sql.session.timeZone", name)
        try:
            upsert(result, table)(result, 0)
        finally:
            spark.conf.set("spark.sql.session.timeZone", zone)
        cursor = database.execute(f"SELECT * FROM {table}")
        (row,) = cursor.fetchall()
        found = dict(zip([column.name for column in cursor.description], row, strict=True))
        assert {key: found[key] for key in values} == {key: value for key, (_, value) in values.items()}
        assert [type(found[key]) for key in values] == [type(value) for _, value in values.values()]
        assert found["window_end"] == datetime(1970, 1, 1, 0, 0, 10, tzinfo=timezone.utc)
        assert set(found["pane"]) == {"timing", "number", "is_last", "fired_at", "replaced"}


def test_a_function_that_gives_several_rows_a_firing_is_refused(result, batch, upsert, database):
    write = upsert(result)
    with pytest.raises(
        PySparkException,
        match=r'upsert_to_postgres .* a firing gave several: \{"user":"a","window":.*"number":3\}',
    ):
        write(batch(("a", 0, 10, 3, 1), ("a", 0, 10, 3, 2)), 0)
    write(batch(("a", 0, 10, 3, 1), ("a", 0, 10, 3, 2), ("a", 0, 10, 4, 3)), 0)
    assert rows(database, "n") == [("a", 0, 10, 3)]


# Tables


def test_a_table_of_ones_own_may_have_more_columns_other_types_and_no_pane(result, batch, upsert, database):
    database.execute(
        'CREATE TABLE visits (note text, n smallint, window_end timestamp, window_start timestamp, "user" uuid, '
        'PRIMARY KEY ("user", window_start, window_end)) PARTITION BY RANGE (window_start)'
    )
    database.execute(
        "CREATE TABLE visits_1970 PARTITION OF visits FOR VALUES FROM ('1970-01-01') TO ('1971-01-01')"
    )
    a, b = (f"00000000-0000-0000-0000-00000000000{last}" for last in "ab")
    database.execute("ALTER DATABASE shop SET timezone = 'Asia/Tokyo'")
    write = upsert(result)
    write(batch((a, 0, 10, 0, 1), (b, 0, 10, 0, 1)), 0)
    database.execute("UPDATE visits SET note = 'mine' WHERE \"user\" = %s", (a,))
    write(batch((a, 0, 10, 1, 2)), 1)
    found = rows(database, "n", "note", "window_start::text")
    assert [(str(user), *rest) for user, *rest in found] == [
        (a, 0, 10, 2, "mine", "1970-01-01 00:00:00"),
        (b, 0, 10, 1, None, "1970-01-01 00:00:00"),
    ]


def test_a_value_that_does_not_fit_is_an_error_and_nothing_is_written(result, batch, upsert, database):
    write = upsert(result)
    database.execute("ALTER TABLE visits ALTER n TYPE smallint")
    with pytest.raises(psycopg.errors.NumericValueOutOfRange, match=r"line \d, column n: .40000"):
        write(batch(("a", 0, 10, 0, 1), ("b", 0, 10, 0, 40_000)), 0)
    text = batch(("a\x00b", 0, 10, 0, 1))
    with pytest.raises(psycopg.DataError, match="cannot contain NUL"):
        write(text, 0)
    assert rows(database) == []
    write(text.withColumn("user", F.replace("user", F.lit("\x00"), F.lit(""))), 0)
    assert rows(database) == [("ab", 0, 10)]


def test_what_the_errors_of_a_table_say_to_type_works(result, batch, upsert, database):
    database.execute('CREATE TABLE visits ("user" text, n bigint, window_start timestamptz)')
    with pytest.raises(
        ValueError, match="the table has no such columns: ALTER TABLE visits ADD COLUMN "
    ) as error:
        upsert(result)
    database.execute(str(error.value).partition(": ")[2])
    with pytest.raises(
        ValueError, match="are not unique by window and key: ALTER TABLE visits ADD UNIQUE"
    ) as error:
        upsert(result)
    database.execute(str(error.value).partition(": ")[2])
    upsert(result)(batch(("a", 0, 10, 0, 1), (None, 0, 10, 0, 1)), 0)
    assert rows(database, "n") == [(None, 0, 10, 1), ("a", 0, 10, 1)]


def test_what_cannot_be_written_is_refused_at_the_call(spark, result, upsert, database):
    user = sw.key_by(spark.createDataFrame([], "user string, ts timestamp"), "user", time="ts")
    minute = user.time_window("1 minute")
    for wrong, said in (
        (minute.aggregate(F.count("*")), r"type \.with_pane\(\) before \.aggregate"),
        (result.withColumnRenamed("user", "u"), "has no column user any more: .* without user, window, pane"),
        (result.drop("pane"), "has no column pane any more"),
    ):
        with pytest.raises(ValueError, match=said):
            upsert(wrong)
    length = F.expr("INTERVAL '1' DAY")
    long = minute.with_pane().aggregate(F.first(length).alias("length"))
    with pytest.raises(ValueError, match=r'for length of interval .*: cast it, \.cast\("string"\)$'):
        upsert(long)
    upsert(minute.with_pane().aggregate(F.first(length.cast("string")).alias("length")), "lengths")
    for name in ("a.b.c", "", "my shop", '"'):
        with pytest.raises(ValueError, match='upsert_to_postgres takes the name of a table, "clicks" or'):
            upsert(result, name)
    with pytest.raises(psycopg.errors.InvalidSchemaName, match='"nowhere" does not exist'):
        upsert(result, "nowhere.visits")
    database.execute(
        "CREATE VIEW visits AS SELECT 'a' AS user, 1 AS n, now() AS window_start, now() AS window_end"
    )
    with pytest.raises((psycopg.Error, ValueError)):
        upsert(result)
    made = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1"
    assert database.execute(made).fetchall() == [("lengths",), ("spark_windowing_batches",)]


def test_a_role_that_may_write_needs_no_right_to_create_tables(result, batch, server, upsert, database):
    upsert(result)
    database.execute("DROP ROLE IF EXISTS writer")
    database.execute("CREATE ROLE writer LOGIN")
    database.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON visits, spark_windowing_batches TO writer")
    address = server.connection("shop").replace("user=postgres", "user=writer")
    sw.upsert_to_postgres(result, "visits", connection=address)(batch(("a", 0, 10, 0, 1)), 0)
    assert rows(database, "n") == [("a", 0, 10, 1)]
    database.execute("DROP OWNED BY writer")
    database.execute("DROP ROLE writer")


# Connections


def test_a_connection_string_is_checked_and_never_shown(result, server, caplog):
    for wrong in ("secret", "password=secret host", "postgresql://me:secret%@127.0.0.1/shop"):
        with pytest.raises(ValueError, match="connection is no connection string of PostgreSQL") as error:
            sw.upsert_to_postgres(result, "visits", connection=wrong)
        assert "secret" not in str(error.value)
        assert error.value.__suppress_context__
    with pytest.raises(TypeError, match="connection must be a connection string, got dict") as error:
        sw.upsert_to_postgres(result, "visits", connection={"password": "secret"})
    with pytest.raises(TypeError, match="takes the name of a table"):
        sw.upsert_to_postgres(result, result, connection="")
    for address, said in (
        ("host=127.0.0.1 port=1 user=me password=secret dbname=shop", "refused"),
        (f"{server.connection('nowhere')} password=secret", 'database "nowhere" does not exist'),
    ):
        with pytest.raises(psycopg.OperationalError, match=said) as error:
            sw.upsert_to_postgres(result, "visits", connection=address)
        assert "secret" not in str(error.value)
    assert "secret" not in caplog.text


def test_without_psycopg_the_error_says_what_to_install(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(sw.SparkWindowingError, match="needs psycopg, which cannot be imported") as error:
        sw.upsert_to_postgres(result, "visits", connection="dbname=shop")
    assert error.value.remedy == 'pip install "spark-windowing[postgres]"'


def test_the_code_of_its_page_runs(spark, server, database, monkeypatch, tmp_path):
    for name, value in (("PGHOST", "127.0.0.1"), ("PGPORT", str(server.port)), ("PGUSER", "postgres")):
        monkeypatch.setenv(name, value)
    play(PAGE, tmp_path)
    columns = [column.name for column in database.execute("SELECT * FROM clicks").description]
    assert columns == ["user", "window_start", "window_end", "pane", "clicks"]
    assert spark.streams.active == []
