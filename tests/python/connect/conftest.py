"""The tests of this folder run twice: on a server with the plugin, and on a plain one, which gets a jar of the client."""

import pytest

import connect_server


@pytest.fixture(scope="session", params=["plugin", "artifacts"])
def way(request):
    return request.param


@pytest.fixture(scope="session")
def server_url(way, request, settings, tmp_path_factory):
    if way == "plugin":
        yield request.getfixturevalue("plugin_url")
    else:
        with connect_server.ending(
            connect_server.start_plain(tmp_path_factory.mktemp("plain"), settings)
        ) as server:
            yield server.url


@pytest.fixture(scope="session")
def spark(server_url):
    from pyspark.sql import SparkSession

    session = SparkSession.builder.remote(server_url).create()
    yield session
    session.stop()
