"""The tests beside this file run in a process of their own, whose session has Delta Lake: see tests/python/delta/test_delta.py."""

import sys
from pathlib import Path

import pytest

from delta_session import session

sys.path.append(str(Path(__file__).parents[1] / "python"))
import firings


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    spark = session(tmp_path_factory.mktemp("delta"))
    yield spark
    spark.stop()


@pytest.fixture
def table(spark, request):
    """The name of a table that is not there yet."""
    name = request.node.originalname
    yield name
    spark.sql(f"DROP TABLE IF EXISTS {name}")


@pytest.fixture
def visits(spark, tmp_path):
    """Make a stream of visits, user and second, of which each list is a micro-batch; its watermark has no delay."""

    return lambda *batches: firings.visits(spark, tmp_path / "visits", *batches)


@pytest.fixture
def run(tmp_path):
    """Take what there is, a list a micro-batch."""

    return lambda frame, write, checkpoint="checkpoint": firings.run(frame, write, tmp_path / checkpoint)
