import tempfile
from pathlib import Path

import psycopg
import pytest
from postgres_server import PostgresServer


@pytest.fixture(scope="module")
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
