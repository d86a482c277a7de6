"""The events of a run, a file a micro-batch, out of order and some of them late: everything follows from a seed.

Micro-batches need not be cut the same in two runs: a driver that dies between choosing a file and writing that down takes it
together with the next one. So the events are such that the results do not depend on it, as long as fewer than LANES files
come together: what is late is late by more than LANES files, and no key of the count windows is in two files next to each
other.
"""

import json
import os
import random
from typing import NamedTuple

KEYS = 6
LANES = 4
ROWS = 40  # of a file
ORIGIN = 600_000  # milliseconds of the first file
STEP = 10_000  # milliseconds from one file to the next
DISORDER = 8_000  # most milliseconds that an event that is not late lies behind
DELAY = 15_000  # of the watermark
ACTIVE = 20_000  # milliseconds that a key has events, one turn in three: so a session is no longer than that
BEHIND = 95_000  # least milliseconds that a late event lies behind its file
LATE = 0.08  # share of late events
CLOSING = LANES + 1  # files with one event far in the future, which close all windows before it

SCHEMA = "id long, key string, lane int, value long, ms long"


class Event(NamedTuple):
    """A row of the input; `lane` is the file's number modulo LANES, `ms` the event time in milliseconds."""

    id: int
    key: str
    lane: int
    value: int
    ms: int
    late: bool = False


def events(seed, files):
    """The events, a list for each file."""
    chance = random.Random(seed)
    made = []
    for file in range(files):
        base = ORIGIN + file * STEP
        rows = []
        for i in range(ROWS):
            late = i > 0 and file > LANES and chance.random() < LATE
            if late:
                ms = base - BEHIND - chance.randrange(2 * STEP)
            else:  # the first one of a file is on time, and so moves the watermark
                ms = base + chance.randrange(STEP) - (chance.randrange(DISORDER) if i else 0)
            number = file * ROWS + i
            rows.append(Event(number, key_at(ms, chance), file % LANES, chance.randrange(10**6), ms, late))
        made.append(rows)
    end = ORIGIN + (files + 100) * STEP
    return made + [[Event(-1 - i, "end", i % LANES, 0, end)] for i in range(CLOSING)]


def key_at(ms, chance):
    """One of the keys whose turn it is at this time."""
    turn = -(ms // ACTIVE) % 3
    return f"k{turn + 3 * chance.randrange(KEYS // 3)}"


def write(files, folder):
    """Write each list of events into a file; Spark takes the files by age."""
    folder.mkdir(parents=True)
    for number, rows in enumerate(files):
        path = folder / f"{number:04}.json"
        fields = ("id", "key", "lane", "value", "ms")
        path.write_text("".join(json.dumps({f: getattr(row, f) for f in fields}) + "\n" for row in rows))
        os.utime(path, (number, number))
