"""Spark's lines: each has a jar of its own in the package."""

from __future__ import annotations

from typing import NamedTuple


class Line(NamedTuple):
    """Versions of Spark that run the same jar, named after the first of them."""

    first: tuple[int, int]
    """The first version."""
    below: tuple[int, int]
    """The version after the last one."""
    scala: str
    """The version of Scala that Spark is built with."""
    java: str = "17 or later"
    """The versions of Java that Spark runs on, as text."""

    @property
    def name(self) -> str:
        """Name of the line in the names of jars."""
        return f"{self.version}_{self.scala}"

    @property
    def version(self) -> str:
        """Name of the first version."""
        return f"{self.first[0]}.{self.first[1]}"

    @property
    def versions(self) -> str:
        """Return the versions as text."""
        first, last = self.version, f"{self.below[0]}.{self.below[1] - 1}"
        return first if first == last else f"{first} to {last}"


LINES = (
    Line((3, 5), (3, 6), "2.12", java="8, 11 or 17"),
    Line((4, 0), (4, 1), "2.13"),
    Line((4, 1), (4, 4), "2.13"),
)
