"""Upserts of a client of Spark Connect, whose server has the tables."""

import tempfile
from pathlib import Path

import pytest

import connect_server
import firings
import spark_windowing as sw
from postgres_server import PostgresServer
from stores import Delta, Iceberg, Postgres
from test_stores import unfinish
from upsert_session import STORES
from upsert_session import settings as of_tables


@pytest.fixture(scope="module", params=["artifacts", pytest.param("plugin", marks=pytest.mark.long)])
def way(request):
    return request.param


@pytest.fixture(scope="module")
def server(tmp_path_factory, way, settings):
    folder = tmp_path_factory.mktemp("upserts")
    if way == "artifacts":
        with connect_server.ending(
            connect_server.start_plain(folder, {**settings, **with_jars(folder)})
        ) as server:
            yield server
    else:
        own = with_jars(folder)
        # The jars come by --jars in place of spark.jars, which would replace that of the plugin.
        jars = ",".join([sw.jar_path(), own.pop("spark.jars")])
        with connect_server.running(folder, {**settings, **own}, jar=jars) as server:
            yield server


def with_jars(folder):
    """Settings of the tables; a server says at level INFO that it has started."""
    return {name: value for name, value in of_tables(folder).items() if name != "spark.log.level"}


@pytest.fixture(scope="module")
def spark(server):
    from pyspark.sql import SparkSession

    session = SparkSession.builder.remote(server.url).create()
    yield session
    session.stop()


@pytest.fixture
def postgres():
    with tempfile.TemporaryDirectory() as folder, PostgresServer(Path(folder)) as database:
        import psycopg

        with psycopg.connect(database.connection(), autocommit=True) as connection:
            connection.execute("CREATE DATABASE shop")
        yield Postgres(database)


@pytest.fixture(params=STORES)
def store(request, spark):
    if request.param == "postgres":
        return request.getfixturevalue("postgres")
    return {"delta": Delta, "iceberg": Iceberg}[request.param](spark)


def test_a_table_by_the_function_and_by_the_sink_also_when_micro_batches_run_again(store, spark, tmp_path):
    result = firings.sessions(
        firings.visits(spark, tmp_path / "visits", [("a", 0), ("a", 20)], [("a", 10), ("b", 0)])
    )
    upsert = store.upsert(result)
    by_sink = result.writeStream.format("windows-upsert").options(**store.options("copies"))

    def run():
        firings.run(result, upsert, tmp_path / "function")
        writer = by_sink.option("checkpointLocation", str(tmp_path / "sink"))
        writer.trigger(availableNow=True).start().awaitTermination()
        return [store.rows("n"), store.rows("n", table="copies")]

    assert run() == [[("a", 0, 30, 3), ("b", 0, 10, 1)]] * 2
    before = [store.versions(name) for name in ("visits", "copies")]
    for checkpoint in ("function", "sink"):
        unfinish(tmp_path / checkpoint, 1)
    run()
    assert [store.versions(name) for name in ("visits", "copies")] == before
    store.drop(["visits", "copies"])


def test_a_refusal_has_its_text(store, spark):
    visits = spark.createDataFrame([], "user string, ts timestamp")
    counted = (
        sw.key_by(visits, "user", time="ts").time_window("1 minute").with_pane().aggregate("count(1) AS n")
    )
    with pytest.raises(ValueError, match="has no column pane any more"):
        store.upsert(counted.drop("pane"))
