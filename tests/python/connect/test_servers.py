"""Servers of Spark Connect that cannot be used, each refused by name with the lines to type."""

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import connect_server
import spark_windowing as sw
from spark_windowing._gateway import connect, connect_refusals, recorded

pytestmark = [pytest.mark.spark, pytest.mark.remote, pytest.mark.usefixtures("spark")]


def session(url):
    return SparkSession.builder.remote(url).create()


def rows_of(spark):
    return spark.createDataFrame([("a", 1), ("a", 2)], "user string, n int")


def counts(rows):
    return sw.key_by(rows, "user").count_window(2).aggregate(F.sum("n").alias("n"))


def test_a_server_without_the_plugin(tmp_path):
    server = connect_server.start(tmp_path, jar="")
    client = session(server.url)
    try:
        for call in (lambda: sw.attach(client), lambda: counts(rows_of(client))):
            with pytest.raises(sw.SparkWindowingError, match="has no windows of spark-windowing") as error:
                call()
            assert "start-connect-server.sh --jars" in error.value.remedy
            assert "spark.connect.extensions.relation.classes=dev.sparkwindowing" in error.value.remedy
        (finding,) = sw.doctor(client).problems
        assert finding.subject == "server"
    finally:
        client.stop()
        server.kill()


def test_a_server_that_was_killed_and_started_again(tmp_path):
    first = connect_server.start(tmp_path, connect_server.PLUGIN)
    client = session(first.url)
    rows = rows_of(client)
    assert counts(rows).collect()[0].n == 3
    first.kill()
    second = connect_server.start(tmp_path, connect_server.PLUGIN, port=first.port)
    try:
        with pytest.raises(sw.SparkWindowingError, match="has ended or was started again") as error:
            counts(rows)
        assert f'SparkSession.builder.remote("{second.url}").create()' in error.value.remedy
        new = session(second.url)
        assert counts(rows_of(new)).collect()[0].n == 3
        new.stop()
    finally:
        second.kill()


@pytest.mark.parametrize(
    ("module_name", "name", "value", "said"),
    [
        ("version", "__version__", "0.0.9", "the client has 0.0.9 (protocol 1)"),
        ("protocol", "PROTOCOL", 7, "(protocol 7)"),
    ],
)
def test_a_server_with_another_version(spark, monkeypatch, module_name, name, value, said):
    monkeypatch.setattr(recorded, name, value)
    monkeypatch.setattr(connect, "_checked", set())
    with pytest.raises(sw.SparkWindowingError) as error:
        sw.attach(spark)
    assert error.value.problem.startswith(f"The server has spark-windowing {sw.__version__} (protocol 1)")
    assert said in error.value.problem
    assert "pip install spark-windowing==" in error.value.remedy


class Serverless:
    """A client's session as databricks-connect makes it for serverless compute."""

    version = "4.0.0"

    class client:  # noqa: N801
        class _builder:  # noqa: N801
            host = "dbc-1234.cloud.databricks.com"

            @staticmethod
            def metadata():
                return [("x-databricks-session-id", "1")]


def test_serverless_compute_of_databricks_is_refused_with_the_reason():
    def ask():
        raise ValueError("No handler found for extension")

    with pytest.raises(sw.SparkWindowingError, match="serverless compute of Databricks") as error:
        connect_refusals.check_server(Serverless, ask)
    assert "takes neither a plugin" in error.value.problem


def test_a_server_of_spark_3_5_is_refused_by_name():
    class Old(Serverless):
        version = "3.5.8"

    with pytest.raises(
        sw.SparkWindowingError, match=r"Spark Connect server of Spark 3.5.8: its plugins differ"
    ):
        connect_refusals.check_server(Old, lambda: None)
