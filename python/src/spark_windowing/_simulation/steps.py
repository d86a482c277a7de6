"""Steps of a simulation, as values. Made by the functions of `spark_windowing.sim`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from spark_windowing._builders.arguments import whole_number

Time = str | datetime | int


@dataclass(frozen=True, repr=False)
class Element:
    """Arrival of a row. Made by `element`.

    Attributes
    ----------
    columns
        Pairs of name and value, in the given order.
    input
        Number of the input, from 0, or its name in a join or co-group.
    """

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
        check_input("element", self.input)

    def __repr__(self) -> str:
        """Return the call that makes an equal value."""
        plain = all(name.isidentifier() and name != "input" for name, _ in self.columns)
        parts = [f"{name}={value!r}" for name, value in self.columns] if plain else [repr(dict(self.columns))]
        if self.input != 0:
            parts.append(f"input={self.input!r}")
        return f"element({', '.join(parts)})"


@dataclass(frozen=True, repr=False)
class Watermark:
    """Advance of the watermark. Made by `watermark`.

    Attributes
    ----------
    time
        The new watermark, as given.
    """

    time: Time

    def __post_init__(self) -> None:
        """Check the argument, however the value was made."""
        as_time("watermark", self.time)

    def __repr__(self) -> str:
        """Return the call that makes an equal value."""
        return f"watermark({self.time!r})"


@dataclass(frozen=True, repr=False)
class ProcessingTime:
    """Advance of processing time. Made by `processing_time`.

    Attributes
    ----------
    time
        The new processing time, as given.
    """

    time: Time

    def __post_init__(self) -> None:
        """Check the argument, however the value was made."""
        as_time("processing_time", self.time)

    def __repr__(self) -> str:
        """Return the call that makes an equal value."""
        return f"processing_time({self.time!r})"


@dataclass(frozen=True, repr=False)
class SnapshotRestore:
    """Write and read of the state, as at a restart. Made by `snapshot_restore`."""

    def __repr__(self) -> str:
        """Return the call that makes an equal value."""
        return "snapshot_restore()"


@dataclass(frozen=True, repr=False)
class Probe:
    """Advance of processing time with a probe of every input. Made by `probe`.

    Attributes
    ----------
    time
        The new processing time, as given.
    """

    time: Time

    def __post_init__(self) -> None:
        """Check the argument, however the value was made."""
        as_time("probe", self.time)

    def __repr__(self) -> str:
        """Return the call that makes an equal value."""
        return f"probe({self.time!r})"


@dataclass(frozen=True, repr=False)
class Idle:
    """Change of an input to idle. Made by `idle`.

    Attributes
    ----------
    input
        Number of the input, from 0, or its name in a join or co-group.
    """

    input: int | str = 0

    def __post_init__(self) -> None:
        """Check the argument, however the value was made."""
        check_input("idle", self.input)

    def __repr__(self) -> str:
        """Return the call that makes an equal value."""
        return f"idle({self.input!r})"


@dataclass(frozen=True, repr=False)
class Active:
    """Change of an idle input to active. Made by `active`.

    Attributes
    ----------
    input
        Number of the input, from 0, or its name in a join or co-group.
    """

    input: int | str = 0

    def __post_init__(self) -> None:
        """Check the argument, however the value was made."""
        check_input("active", self.input)

    def __repr__(self) -> str:
        """Return the call that makes an equal value."""
        return f"active({self.input!r})"


@dataclass(frozen=True, repr=False)
class End:
    """End of all input. Made by `end`."""

    def __repr__(self) -> str:
        """Return the call that makes an equal value."""
        return "end()"


@dataclass(frozen=True, repr=False)
class Batch:
    """Micro-batch. Made by `batch`.

    Attributes
    ----------
    steps
        Its rows and times.
    """

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


def check_input(owner: str, value: object) -> None:
    """Raise an error unless the value is the number of an input, or a text, which may be its name."""
    if not isinstance(value, str) and whole_number(owner, "input", value) < 0:
        raise ValueError(f"{owner}: inputs are counted from 0, got {value}")
