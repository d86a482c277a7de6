"""Window triggers, which decide when a window fires; not the query's trigger, ``writeStream.trigger``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeVar, final

from spark_windowing._builders.arguments import whole_number
from spark_windowing._builders.part import Part, set_field

# ruff: noqa: PYI019  (not Self: Python 3.10 lacks it, and editors complete by a TypeVar)
Created = TypeVar("Created", bound="_Created")


@final
class Trigger(Part):
    """Base class of the window triggers.

    Examples
    --------
    >>> isinstance(CountTrigger.of(100), Trigger)
    True
    """

    _package: ClassVar[str] = "dev.sparkwindowing.triggers"
    _own: ClassVar[str] = (
        'Write it as columns, .trigger(sw.ColumnTrigger.when("price > 100")), with a state and timers by '
        'sw.ColumnTrigger.of(..); or as a class in Scala or Java, .trigger(sw.jvm("com.acme.MyTrigger"))'
    )


class _Created(Trigger):
    """Trigger without arguments."""

    _factory: ClassVar[str] = "create"

    @classmethod
    def create(cls: type[Created]) -> Created:
        """Make the trigger.

        Returns
        -------
        Trigger
            For `WindowedStream.trigger`.
        """
        return cls()


@dataclass(frozen=True, repr=False)
class EventTimeTrigger(_Created):
    """Fires when the watermark passes the end of the window, then at each late element within lateness.

    The default of event-time assigners.

    Examples
    --------
    >>> EventTimeTrigger.create()
    EventTimeTrigger.create()
    """


@dataclass(frozen=True, repr=False)
class ProcessingTimeTrigger(_Created):
    """Fires when processing time passes the end of the window. The default of processing-time assigners.

    Examples
    --------
    >>> ProcessingTimeTrigger.create()
    ProcessingTimeTrigger.create()
    """


@dataclass(frozen=True, repr=False)
class NeverTrigger(_Created):
    """Never fires. The default of `GlobalWindows`.

    Examples
    --------
    >>> NeverTrigger.create()
    NeverTrigger.create()
    """


@dataclass(frozen=True, repr=False)
class MicroBatchTrigger(_Created):
    """Fires every window that got elements in a micro-batch, once, after the elements of the micro-batch.

    Spark's update mode with allowed lateness and panes. The end of a window does not fire again what a
    micro-batch has fired; for a firing on time take ``AfterWatermark.of(early="micro-batch")``. In a static
    DataFrame, which has no micro-batches, windows fire once, at their end. In `simulate` a step is a
    micro-batch.

    Examples
    --------
    >>> MicroBatchTrigger.create()
    MicroBatchTrigger.create()
    """


@dataclass(frozen=True, repr=False)
class CountTrigger(Trigger):
    """Fires when `max_count` elements have arrived since the last firing.

    It does not fire at the end of a time window: a remainder below the count is dropped with the window.

    Build it with `of`. Its attribute is `max_count`.

    Examples
    --------
    >>> CountTrigger.of(100)
    CountTrigger.of(100)
    >>> result = windows.trigger(CountTrigger.of(2)).aggregate(F.sum("price").alias("spent"))
    >>> [(row.user, row.spent) for row in result.collect()]  # only one window has two clicks
    [('a', 7)]
    """

    max_count: int

    def __post_init__(self) -> None:
        """Check the argument, however the value was made."""
        set_field(self, "max_count", whole_number("CountTrigger", "max_count", self.max_count))

    @classmethod
    def of(cls, max_count: int) -> CountTrigger:
        """Make the trigger.

        Parameters
        ----------
        max_count
            Elements per firing; 0 or less fires at every element, as in Flink.

        Returns
        -------
        CountTrigger
            For `WindowedStream.trigger`.

        Raises
        ------
        TypeError
            If `max_count` is no whole number.
        """
        return cls(max_count)


@dataclass(frozen=True, repr=False)
class PurgingTrigger(Trigger):
    """Fires when `nested` does, and drops the contents of the window at each firing.

    Build it with `of`. Its attribute is `nested`.

    Examples
    --------
    >>> PurgingTrigger.of(CountTrigger.of(2))
    PurgingTrigger.of(CountTrigger.of(2))
    """

    nested: Trigger

    def __post_init__(self) -> None:
        """Check the argument, however the value was made."""
        check_trigger("PurgingTrigger: nested", self.nested)

    @classmethod
    def of(cls, nested: Trigger) -> PurgingTrigger:
        """Make the trigger.

        Parameters
        ----------
        nested
            The window trigger that decides when to fire.

        Returns
        -------
        PurgingTrigger
            For `WindowedStream.trigger`.

        Raises
        ------
        TypeError
            If `nested` is no window trigger.
        """
        return cls(nested)


@dataclass(frozen=True, repr=False)
class EndOfStreamTrigger(_Created):
    """Fires once, at the end of a static DataFrame; never on a stream. For the global window.

    Examples
    --------
    >>> EndOfStreamTrigger.create()
    EndOfStreamTrigger.create()
    """


def check_trigger(name: str, value: object) -> None:
    """Raise TypeError unless the value is a window trigger."""
    if not isinstance(value, Trigger):
        raise TypeError(f"{name} must be a window trigger such as CountTrigger.of(100), got {value!r}")
