"""Rows and transactions of PostgreSQL beside what all stores have in common."""

from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path

import psycopg
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import functions as F

import spark_windowing as sw
from firings import EACH, sessions
from pages import play
from written import rows, versions

PAGE = Path(__file__).parents[2] / "docs" / "upserts.md"


# Streams


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


# Micro-batches as the operator gives them


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
    local = visits.withColumn("ts", eval(values["local"][0]))
    hours = (
        sw.key_by(local, "user", time="ts")
        .time_window("1 hour")
        .with_pane()
        .aggregate(F.count("*").alias("n"))
    )
    zone = spark.conf.get("spark.sql.session.timeZone")
    database.execute("SET TIME ZONE 'UTC'")
    for table, name in (("utc", "UTC"), ("berlin", "Europe/Berlin")):
        spark.conf.set("spark.sql.session.timeZone", name)
        try:
            upsert(result, table)(result, 0)
            upsert(hours, f"local_{table}")(hours, 0)
        finally:
            spark.conf.set("spark.sql.session.timeZone", zone)
        cursor = database.execute(f"SELECT * FROM {table}")
        (row,) = cursor.fetchall()
        found = dict(zip([column.name for column in cursor.description], row, strict=True))
        assert {key: found[key] for key in values} == {key: value for key, (_, value) in values.items()}
        assert [type(found[key]) for key in values] == [type(value) for _, value in values.values()]
        assert found["window_end"] == datetime(1970, 1, 1, 0, 0, 10, tzinfo=timezone.utc)
        assert set(found["pane"]) == {"timing", "number", "is_last", "fired_at", "replaced"}
        start = database.execute(f"SELECT window_start FROM local_{table}").fetchone()
        assert start == (datetime(2025, 10, 26, 2, 0, 0),)  # noqa: DTZ001


# The page


def test_the_code_of_its_section_runs(spark, server, database, tmp_path):
    there = {"jdbc:postgresql://localhost/shop": f"jdbc:postgresql://127.0.0.1:{server.port}/shop"}
    play(PAGE, tmp_path, without={"Delta Lake", "Iceberg"}, instead={**there, '"writer"': '"postgres"'})
    columns = [column.name for column in database.execute("SELECT * FROM clicks").description]
    assert columns == ["user", "window_start", "window_end", "pane", "clicks"]
    assert spark.streams.active == []
