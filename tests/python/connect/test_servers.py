"""Servers of Spark Connect that cannot be used, each refused by name with the lines to type."""

import json
import os

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import connect_server
import spark_windowing as sw
from shared import append
from spark_windowing._gateway import connect, connect_way, message

pytestmark = [pytest.mark.spark, pytest.mark.remote]


def session(url):
    return SparkSession.builder.remote(url).create()


def rows_of(spark):
    return spark.createDataFrame([("a", 1), ("a", 2)], "user string, n int")


def counts(rows):
    return sw.key_by(rows, "user").count_window(2).aggregate(F.sum("n").alias("n"))


def test_a_server_that_takes_no_artifacts(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError("this server takes no artifacts of clients")

    with connect_server.ending(connect_server.start_plain(tmp_path)) as server:
        client = session(server.url)
        monkeypatch.setattr(client, "addArtifact", refuse)
        for call in (lambda: sw.attach(client), lambda: counts(rows_of(client))):
            with pytest.raises(sw.SparkWindowingError, match="has no windows of spark-windowing") as error:
                call()
            assert "started without the plugin, and it does not take the jar" in error.value.problem
            assert error.value.problem.endswith("this server takes no artifacts of clients")
            assert f"spark-submit --class {connect_server.CLASS} --jars" in error.value.remedy
            assert "spark.connect.extensions.relation.classes=dev.sparkwindowing" in error.value.remedy
        (finding,) = sw.doctor(client).problems
        assert finding.subject == "server"
        client.stop()


def with_plugin(folder, settings=(), **others):
    return connect_server.start(folder, {**connect_server.PLUGIN, **dict(settings)}, **others)


@pytest.mark.parametrize(
    "start", [with_plugin, pytest.param(connect_server.start_plain, marks=pytest.mark.long)]
)
def test_main_and_late_rows_of_one_query_over_a_kill_and_a_restart_of_the_server(tmp_path, settings, start):
    for folder in ("in", "out", "server"):
        (tmp_path / folder).mkdir()

    def write(number, rows):
        lines = [json.dumps({"user": user, "ts": f"1970-01-01T00:00:{at:02}Z"}) for user, at in rows]
        file = tmp_path / "in" / f"{number}.json"
        file.write_text("\n".join(lines))
        os.utime(file, (number, number))

    def run(client):
        """All rows that the query has written, after one more run of it."""
        source = client.readStream.schema("user string, ts timestamp").option("maxFilesPerTrigger", 1)
        stream = source.json(str(tmp_path / "in")).withWatermark("ts", "0 seconds")
        windows = sw.key_by(stream, "user").time_window("10 seconds").side_output_late_data("late")
        outputs = sw.all_outputs(windows.aggregate(F.count("*").alias("n")))
        chosen = outputs.select(
            "output", "main.user", "main.n", F.col("late.user").alias("who"), "late.late_by_ms"
        )
        append(chosen, tmp_path)
        rows = client.read.parquet(str(tmp_path / "out")).collect()
        return sorted(tuple(value for value in row if value is not None) for row in rows)

    write(0, [("a", 2), ("a", 4), ("b", 9)])
    write(1, [("b", 14)])
    first = start(tmp_path / "server", settings)
    client = session(first.url)
    written = [("main", "a", 2), ("main", "b", 1)]
    assert run(client) == written
    rows = rows_of(client)
    assert counts(rows).collect()[0].n == 3
    first.kill()
    with connect_server.ending(start(tmp_path / "server", settings, port=first.port)) as second:
        with pytest.raises(sw.SparkWindowingError, match="has ended or was started again") as error:
            counts(rows)
        assert f'SparkSession.builder.remote("{second.url}").create()' in error.value.remedy
        write(2, [("a", 5), ("b", 16)])
        write(3, [("b", 30)])
        new = session(second.url)
        assert run(new) == [("late", "a", 8999), *written, ("main", "b", 2)]
        new.stop()


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("__version__", "0.0.9", "the client has 0.0.9 (protocol 2)"),
        ("PROTOCOL", 7, "(protocol 7)"),
    ],
)
def test_a_server_with_another_version(spark, monkeypatch, name, value, said):
    monkeypatch.setattr(message, name, value)
    monkeypatch.setattr(connect, "_ways", {})
    with pytest.raises(sw.SparkWindowingError) as error:
        sw.attach(spark)
    assert error.value.problem.startswith(f"The server has spark-windowing {sw.__version__} (protocol 2)")
    assert said in error.value.problem
    assert "pip install spark_windowing-<the server's version>-py3-none-any.whl;" in error.value.remedy


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
    def ask(_):
        raise ValueError("No handler found for extension")

    with pytest.raises(sw.SparkWindowingError, match="serverless compute of Databricks") as error:
        connect_way.way_to_server(Serverless, ask, pytest.fail)
    assert "takes neither a plugin" in error.value.problem


def test_a_server_of_spark_3_5_is_refused_by_name():
    class Old(Serverless):
        version = "3.5.8"

    with pytest.raises(
        sw.SparkWindowingError, match=r"Spark Connect server of Spark 3.5.8: its plugins differ"
    ):
        connect_way.way_to_server(Old, pytest.fail, pytest.fail)
