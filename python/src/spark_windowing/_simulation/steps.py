"""Steps of a simulation, as values. Made by the functions of `spark_windowing.sim`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from typing import ClassVar

from spark_windowing._builders.arguments import whole_number

Time = str | datetime | int


@dataclass(frozen=True, repr=False)
class _Step:
    """Any step: its name is that of the function that makes it, and of its kind in Scala."""

    name: ClassVar[str]

    def __repr__(self) -> str:
        """Return the call that makes an equal value."""
        return f"{self.name}({', '.join(repr(getattr(self, field.name)) for field in fields(self))})"


@dataclass(frozen=True, repr=False)
class Element(_Step):
    """Arrival of a row. Made by `element`.

    Its attributes are `columns`, pairs of name and value in the given order, and `input`.
    """

    name: ClassVar[str] = "element"

    columns: tuple[tuple[str, object], ...]
    input: int | str = 0

    def __post_init__(self) -> None:
        """Check the argument, however the value was made."""
        for pair in self.columns:
            if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(pair[0], str):  # noqa: PLR2004
                raise TypeError(f"element: columns are pairs of a name and a value, got {pair!r}")
        names = [name for name, _ in self.columns]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"element: two values for {', '.join(twice)}")
        _check_input("element", self.input)

    def __repr__(self) -> str:
        """Return the call that makes an equal value."""
        plain = all(name.isidentifier() and name != "input" for name, _ in self.columns)
        parts = [f"{name}={value!r}" for name, value in self.columns] if plain else [repr(dict(self.columns))]
        if self.input != 0:
            parts.append(f"input={self.input!r}")
        return f"element({', '.join(parts)})"


@dataclass(frozen=True, repr=False)
class Timed(_Step):
    """Step that advances a clock."""

    time: Time

    def __post_init__(self) -> None:
        """Check the argument, however the value was made."""
        as_time(self.name, self.time)


@dataclass(frozen=True, repr=False)
class Watermark(Timed):
    """Advance of the watermark. Made by `watermark`. Its attribute is `time`, as given."""

    name: ClassVar[str] = "watermark"


@dataclass(frozen=True, repr=False)
class ProcessingTime(Timed):
    """Advance of processing time. Made by `processing_time`. Its attribute is `time`, as given."""

    name: ClassVar[str] = "processing_time"


@dataclass(frozen=True, repr=False)
class Probe(Timed):
    """Advance of processing time with a probe of every input. Made by `probe`.

    Its attribute is `time`, as given.
    """

    name: ClassVar[str] = "probe"


@dataclass(frozen=True, repr=False)
class OfInput(_Step):
    """Step of an input."""

    input: int | str = 0

    def __post_init__(self) -> None:
        """Check the argument, however the value was made."""
        _check_input(self.name, self.input)


@dataclass(frozen=True, repr=False)
class Idle(OfInput):
    """Change of an input to idle. Made by `idle`. Its attribute is `input`."""

    name: ClassVar[str] = "idle"


@dataclass(frozen=True, repr=False)
class Active(OfInput):
    """Change of an idle input to active. Made by `active`. Its attribute is `input`."""

    name: ClassVar[str] = "active"


@dataclass(frozen=True, repr=False)
class SnapshotRestore(_Step):
    """Write and read of the state, as at a restart. Made by `snapshot_restore`."""

    name: ClassVar[str] = "snapshot_restore"


@dataclass(frozen=True, repr=False)
class End(_Step):
    """End of all input. Made by `end`."""

    name: ClassVar[str] = "end"


@dataclass(frozen=True, repr=False)
class Batch(_Step):
    """Micro-batch. Made by `batch`. Its attribute is `steps`, its rows and times."""

    name: ClassVar[str] = "batch"

    steps: tuple[Element | Watermark | ProcessingTime, ...]

    def __post_init__(self) -> None:
        """Check the argument, however the value was made."""
        for step in self.steps:
            if not isinstance(step, (Element, Watermark, ProcessingTime)):
                raise TypeError(f"batch: takes element, watermark and processing_time, got {step!r}")

    def __repr__(self) -> str:
        """Return the call that makes an equal value."""
        return f"batch({list(self.steps)!r})"


Step = Element | Watermark | ProcessingTime | Probe | Idle | Active | SnapshotRestore | End | Batch


def as_time(name: str, value: object) -> Time:
    """Return the value if it is a time. Spark parses text later."""
    if isinstance(value, bool) or not isinstance(value, (str, datetime, int)):
        raise TypeError(f"{name} must be ISO text, a datetime or an int of epoch milliseconds, got {value!r}")
    return value


def _check_input(owner: str, value: object) -> None:
    """Raise an error unless the value is the number of an input, or a text, which may be its name."""
    if not isinstance(value, str) and whole_number(owner, "input", value) < 0:
        raise ValueError(f"{owner}: inputs are counted from 0, got {value}")
