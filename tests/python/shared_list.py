"""A list that functions of foreachBatch extend: also those that a Spark Connect server calls in its own process."""

from __future__ import annotations

import os
import pickle
import tempfile
from pathlib import Path


class SharedList:
    """A list in a file, which each copy of it extends and reads."""

    def __init__(self, folder):
        handle, path = tempfile.mkstemp(prefix="rows-", dir=folder)
        os.close(handle)
        self._path = Path(path)

    def extend(self, values):
        with self._path.open("ab", buffering=0) as file:  # one write: a reader finds all of it or nothing
            file.write(pickle.dumps(list(values)))

    def append(self, value):
        self.extend([value])

    def read(self):
        """All values so far, as a list."""
        values = []
        with self._path.open("rb") as file:
            while file.peek(1):
                values += pickle.load(file)
        return values

    def __iter__(self):
        return iter(self.read())

    def __len__(self):
        return len(self.read())

    def __getitem__(self, index):
        return self.read()[index]

    def __eq__(self, other):
        return self.read() == other

    __hash__ = None

    def __repr__(self):
        return repr(self.read())
