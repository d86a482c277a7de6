"""Sends passages to Kafka as they happened, many times as fast."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typing_extensions import Self

    from passages import Passage

PATIENCE = 30  # seconds in which the broker must answer
BROKEN_EVERY = 1000  # passages


def create_topic(broker: str, topic: str, partitions: int) -> None:
    """Create a topic on the one broker."""
    admin = AdminClient({"bootstrap.servers": broker, "log_level": 3})
    for created in admin.create_topics([NewTopic(topic, partitions, 1)]).values():
        created.result(PATIENCE)


class Replay:
    """Passages on their way; one of a thousand is followed by its first half: broken JSON.

    The clock begins with the first call of `send_due`. A second of schedule takes 1 / `speed` seconds.
    """

    def __init__(self, some: list[Passage], broker: str, topic: str, speed: float) -> None:
        self._passages, self._topic, self._speed = some, topic, speed
        self._producer = producer(broker)
        self._began: float | None = None
        self._next = 0
        self.messages = 0

    def __enter__(self) -> Self:
        """Nothing is sent yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the broker."""
        self._producer.close()

    def send_due(self) -> bool:
        """Send the passages whose time has come; whether some are left."""
        now = time.monotonic()
        self._began = now if self._began is None else self._began
        until = self._passages[0].scheduled + (now - self._began) * self._speed * 1000
        while self._next < len(self._passages) and self._passages[self._next].scheduled <= until:
            passage = self._passages[self._next]
            self._send(passage.gate, passage.message())
            if self._next % BROKEN_EVERY == 0:
                self._send(passage.gate, passage.message()[:30])
            self._next += 1
        flush(self._producer)
        return self._next < len(self._passages)

    def _send(self, gate: str, message: bytes) -> None:
        self._producer.produce(self._topic, message, gate.encode())
        self.messages += 1


def send(messages: Iterable[bytes], broker: str, topic: str) -> None:
    """Send messages as fast as they go, and wait until the broker has them."""
    with producer(broker) as to_broker:
        for message in messages:
            to_broker.produce(topic, message)
        flush(to_broker)


def producer(broker: str) -> Producer:
    """Return a producer that brings each message once and in order, whatever the network does."""
    return Producer({"bootstrap.servers": broker, "enable.idempotence": True, "log_level": 3})


def flush(to_broker: Producer) -> None:
    """Wait until the broker has everything."""
    if missing := to_broker.flush(PATIENCE):
        raise RuntimeError(f"{missing} messages did not reach the broker in {PATIENCE} seconds")
