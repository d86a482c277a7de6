"""Processes as Linux shows them under /proc."""

import os
import signal
import time
from pathlib import Path
from typing import NamedTuple


class Process(NamedTuple):
    """A process that has not ended."""

    pid: int
    parent: int
    group: int

    def command(self):
        """Its command line; empty if it has ended meanwhile."""
        try:
            return Path(f"/proc/{self.pid}/cmdline").read_text().split("\0")
        except OSError:
            return []


def processes():
    """All that have not ended."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text()
        except OSError:  # it has ended since it was listed
            continue
        state, parent, group = text.rpartition(")")[2].split()[:3]
        if state not in "ZX":
            yield Process(int(path.parent.name), int(parent), int(group))


def kill_group(group):
    """End a process group by SIGKILL, and wait until all of it is gone."""
    os.killpg(group, signal.SIGKILL)
    wait_for_end(group)


def wait_for_end(group):
    """Wait until all of a process group is gone."""
    while any(process.group == group for process in processes()):
        time.sleep(0.01)
