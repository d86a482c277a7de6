"""Messages of sensors as they happen, and what a plain loop over them says that must come out."""

import random
import threading
import time
from collections import defaultdict
from itertools import count

from replay import create_topic, flush, producer

PARTITIONS = 3
SENSORS = 60
RATE = 200  # messages a second
JITTER = 3000  # milliseconds that a message may be old when it is sent
AWAKE, CYCLE = 20_000, 45_000  # a sensor sends for so many milliseconds of so many
END = "end"  # the sensor of the messages that close all windows


class Sender(threading.Thread):
    """Sends messages until it is told to end; it knows what it has sent."""

    def __init__(self, broker, topic, seed):
        super().__init__(daemon=True)
        self._topic = topic
        self._random = random.Random(seed)
        self._numbers = count()
        self._over = threading.Event()
        self.sent = []  # sensor, event time in milliseconds, value
        self.silent = None  # a partition
        create_topic(broker, topic, PARTITIONS)
        self._producer = producer(broker)

    def run(self):
        """Send a tenth of a second's messages ten times a second."""
        due = time.monotonic()
        while not self._over.is_set():
            now = time.time_ns() // 1_000_000
            awake = [
                s
                for s in range(SENSORS)
                if (now + s * 7919) % CYCLE < AWAKE and s % PARTITIONS != self.silent
            ]
            for _ in range(RATE // 10):
                if awake:
                    self._send(self._random.choice(awake), now - self._random.randrange(JITTER))
            flush(self._producer)
            due += 0.1
            time.sleep(max(0.0, due - time.monotonic()))

    def _send(self, sensor, at):
        message = f"sensor {sensor}", at, next(self._numbers)
        self._producer.produce(self._topic, f"{at},{message[2]}", message[0], partition=sensor % PARTITIONS)
        self.sent.append(message)

    def stop(self):
        """Send no more."""
        self._over.set()
        self.join()

    def end(self):
        """Send no more, but for a message to each partition that closes all windows."""
        self.stop()
        later = time.time_ns() // 1_000_000 + 3_600_000
        for partition in range(PARTITIONS):
            self._producer.produce(self._topic, f"{later},0", END, partition=partition)
        flush(self._producer)
        self._producer.close()


def sums(sent, size):
    """Rows of tumbling windows: sensor, start, end, number, sum."""
    windows = defaultdict(list)
    for sensor, at, value in sent:
        windows[sensor, at // size * size].append(value)
    return sorted((sensor, at, at + size, len(v), sum(v)) for (sensor, at), v in windows.items())


def sessions(sent, gap):
    """Rows of sessions: sensor, start, end, number, sum."""
    rows, last = [], None
    for sensor, at, value in sorted(sent):
        if last and last[0] == sensor and at <= last[2]:  # as in Flink, sessions that touch are one
            last[2:] = [at + gap, last[3] + 1, last[4] + value]
        else:
            last = [sensor, at, at + gap, 1, value]
            rows.append(last)
    return sorted(map(tuple, rows))
