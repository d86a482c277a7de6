import tempfile
from pathlib import Path

import psycopg
import pytest
from postgres_server import PostgresServer

import firings
import spark_windowing as sw


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
def visits(spark, tmp_path):
    return lambda *batches: firings.visits(spark, tmp_path / "visits", *batches)


@pytest.fixture
def run(tmp_path):
    return lambda frame, write, checkpoint="checkpoint": firings.run(frame, write, tmp_path / checkpoint)


@pytest.fixture
def result(spark):
    """A static result without rows: what is written is made by `batch`."""
    return firings.sessions(spark.createDataFrame([], "user string, ts timestamp"))


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
