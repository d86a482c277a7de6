"""A client of Spark Connect without Java, PySpark and py4j, on a plain server and on one with the plugin: make test-client.

The client runs in an environment of its own (`.venv-client`) with the wheel and pyspark-client, the server in another
process, from the environment of this test.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import quick_start

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tests" / "python"))
import connect_server  # noqa: E402  (beside the tests of Connect)

PYTHON = ROOT / ".venv-client" / "bin" / "python"
JOB = Path(__file__).parent / "jobs" / "client.py"
PICTURE = {"main": [["a", 1], ["b", 0]], "dear": [7], "picture": True}
SERVERS = {
    "plain": connect_server.start_plain,
    "plugin": lambda folder, **others: connect_server.start(folder, connect_server.PLUGIN, **others),
}


def program():
    """The quick start of the session that the job has."""
    builder, rest = quick_start.program().split("spark = builder.getOrCreate()")
    imports = builder.partition("builder = ")[0]
    settings = 'spark.conf.set("spark.sql.session.timeZone", "UTC")\nspark.conf.set("spark.sql.shuffle.partitions", "1")'
    return f"{imports}\n{settings}\n{rest.replace(quick_start.RUNS_ON, '')}"


class Client:
    """The job, line by line."""

    def __init__(self, url, folder):
        (folder / "quick_start.py").write_text(program(), encoding="utf-8")
        (folder / "path").mkdir()
        self._errors = folder / "errors"
        with self._errors.open("w") as errors:
            self._process = self._started(url, folder, errors)

    def _started(self, url, folder, errors):
        return subprocess.Popen(
            [str(PYTHON), str(JOB), url, str(folder), str(folder / "quick_start.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            cwd=folder,
            env={"PATH": str(folder / "path"), "HOME": str(folder), "MPLBACKEND": "Agg", "LANG": "C.UTF-8"},
        )

    def until(self, last):
        """All lines before one."""
        lines = []
        for line in self._process.stdout:
            if line.rstrip("\n") == last:
                return lines
            lines.append(line.rstrip("\n"))
        raise AssertionError(f"the client ended before {last!r}:\n{self._errors.read_text()[-4000:]}")

    def go_on(self):
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def rest(self):
        lines = self._process.stdout.read().splitlines()
        assert self._process.wait() == 0, self._errors.read_text()[-4000:]
        return lines

    def end(self):
        self._process.kill()
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()


@pytest.mark.parametrize("kind", SERVERS)
def test_a_client_without_java_over_the_end_of_its_server(tmp_path, kind):
    (tmp_path / "server").mkdir()
    server = SERVERS[kind](tmp_path / "server")
    client = Client(server.url, tmp_path)
    try:
        lines = client.until("kill the server")
        assert json.loads(lines[0]) == {"java": False, "py4j": False}
        assert quick_start.ROWS in "\n".join(lines)
        assert json.loads(lines[-2]) == [["late", "a", 8999], ["main", "a", 2]]
        assert json.loads(lines[-1]) == PICTURE
        server.kill()
        client.go_on()
        (said,) = client.until("start it again")
        assert "has ended or was started again" in json.loads(said)["problem"]
        assert f'SparkSession.builder.remote("{server.url}").create()' in json.loads(said)["remedy"]
        server = SERVERS[kind](tmp_path / "server", port=server.port)
        client.go_on()
        lines = client.rest()
        assert json.loads(lines[-2]) == [["late", "a", 8999], ["main", "a", 2], ["main", "b", 2]]
        assert json.loads(lines[-1]) == PICTURE
    finally:
        client.end()
        server.kill()


def test_the_environment_has_no_pyspark_of_its_own():
    listed = subprocess.run(
        [str(PYTHON), "-m", "pip", "list", "--format=json"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": ""},
    )
    names = {package["name"].lower() for package in json.loads(listed.stdout)}
    assert "pyspark-client" in names
    assert not names & {"pyspark", "py4j"}
