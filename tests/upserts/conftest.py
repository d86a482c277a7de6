"""The tests beside this file run in a process of their own, whose session has the tables: see tests/python/upserts."""

import os
import sys
import tempfile
from pathlib import Path

import psycopg
import pytest

from upsert_session import STORES, session

sys.path += [str(Path(__file__).parents[1] / name) for name in ("python", "platforms")]
import fast_start

import firings
from postgres_server import PostgresServer
from stores import Delta, Iceberg, Postgres

os.environ.setdefault("SPARK_SUBMIT_OPTS", fast_start.options())


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    spark = session(tmp_path_factory.mktemp("upserts"))
    yield spark
    spark.stop()


@pytest.fixture(scope="session")
def server():
    # pytest's own folders are closed to other users, and a server does not run as root.
    with tempfile.TemporaryDirectory() as folder, PostgresServer(Path(folder)) as server:
        yield server


@pytest.fixture
def database(server):
    """A connection to a database of its own, which ends with the test."""
    with psycopg.connect(server.connection(), autocommit=True) as connection:
        connection.execute("CREATE DATABASE shop")
    try:
        with psycopg.connect(server.connection("shop"), autocommit=True) as shop:
            yield shop
    finally:  # by another connection, since a test may have ended all
        with psycopg.connect(server.connection(), autocommit=True) as connection:
            connection.execute("DROP DATABASE shop WITH (FORCE)")


@pytest.fixture
def postgres(server, database):
    assert database.info.dbname == "shop"
    return Postgres(server)


@pytest.fixture
def upsert(postgres):
    """Make the function for a result and a table of PostgreSQL."""
    return postgres.upsert


@pytest.fixture
def delta(spark):
    store = Delta(spark)
    yield store
    store.drop(["visits", "copies", "visits_late", "everyone"])


@pytest.fixture
def iceberg(spark):
    store = Iceberg(spark)
    yield store
    store.drop(["visits", "copies", "everyone"])


@pytest.fixture
def table(spark, request):
    """The name of a table of Delta that is not there yet."""
    name = request.node.originalname
    yield name
    spark.sql(f"DROP TABLE IF EXISTS {name}")


@pytest.fixture(params=STORES)
def store(request):
    """Each store that there is for this Spark."""
    return request.getfixturevalue(request.param)


@pytest.fixture(params=[name for name in STORES if name != "postgres"])
def lakehouse(request):
    """Each store of tables of Spark's catalogs that there is for this Spark."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def result(spark):
    """A static result without rows: what is written is made by `batch`."""
    return firings.sessions(spark.createDataFrame([], "user string, ts timestamp"))


@pytest.fixture
def batch(spark, result):
    """Make a micro-batch as the operator gives it."""
    return lambda *lines: firings.micro_batch(spark, result.schema, *lines)


@pytest.fixture
def visits(spark, tmp_path):
    """Make a stream of visits, user and second, of which each list is a micro-batch; its watermark has no delay."""
    return lambda *batches: firings.visits(spark, tmp_path / "visits", *batches)


@pytest.fixture
def run(tmp_path):
    """Take what there is, a list a micro-batch."""
    return lambda frame, write, checkpoint="checkpoint": firings.run(frame, write, tmp_path / checkpoint)
