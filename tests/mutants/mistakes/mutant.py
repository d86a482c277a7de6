"""A mistake that is easily made: what stands in the code, and what is written instead."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

ENGINE = Path("core-scala/engine/src/main/scala/dev/sparkwindowing")
SPARK = Path("core-scala/spark/src/main/scala/dev/sparkwindowing")


class Mutant(NamedTuple):
    """A mistake: which one, where, what stands there, and what is written instead."""

    number: int
    file: str
    before: str
    after: str
    tests: str = "engine/testOnly *ScenarioSpec"

    def path(self, checkout):
        """Say where the file lies: one without tests of its own is the engine's."""
        return checkout / (SPARK if self.tests.startswith("spark/") else ENGINE) / self.file
