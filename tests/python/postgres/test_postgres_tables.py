"""Tables that upsert_to_postgres takes and makes, and connections to them."""

import sys

import psycopg
import pytest
from pyspark.sql import functions as F
from written import rows

import spark_windowing as sw

pytestmark = [pytest.mark.spark, pytest.mark.classic("upsert_to_postgres is refused by Spark Connect")]


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
        (minute.changelog().aggregate(F.count("*")), r"type \.with_pane\(\) in place of \.changelog\(\)"),
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
