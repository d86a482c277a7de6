"""Window assigners: which windows an element belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from spark_windowing._durations import ZERO, Duration, brief, duration
from spark_windowing._parts import Part, set_field

if TYPE_CHECKING:
    from datetime import timedelta


class WindowAssigner(Part):
    """What every window assigner is; see the classes below it."""

    _package: ClassVar[str] = "dev.sparkwindowing.assigners"


class _Tumbling(WindowAssigner):
    """The fields and the check that the tumbling assigners share."""

    size: timedelta
    offset: timedelta

    def __post_init__(self) -> None:
        set_field(self, "size", duration("size", self.size))
        set_field(self, "offset", duration("offset", self.offset))
        if self.size <= ZERO or abs(self.offset) >= self.size:
            raise ValueError(
                f"{type(self).__name__}: size must be positive and abs(offset) < size, "
                f"got size = {brief(self.size)}, offset = {brief(self.offset)}"
            )


@dataclass(frozen=True, repr=False)
class TumblingEventTimeWindows(_Tumbling):
    """Windows of one length without gap or overlap, by event time. Build it with `of`.

    Attributes
    ----------
    size
        Length of a window.
    offset
        Shift of the grid, which otherwise starts at the epoch. There is no time zone.

    Examples
    --------
    >>> TumblingEventTimeWindows.of("1 day", offset="-8 hours")
    TumblingEventTimeWindows.of("1 day", offset="-8 hours")
    """

    size: timedelta
    offset: timedelta = ZERO

    @classmethod
    def of(cls, size: Duration, offset: Duration = ZERO) -> TumblingEventTimeWindows:
        """Make the assigner.

        Parameters
        ----------
        size
            Length of a window, positive: ``"5 minutes"`` or a timedelta.
        offset
            Shift of the grid, shorter than `size`; may be negative. A day at GMT+8 is
            ``of("1 day", "-8 hours")``.

        Raises
        ------
        ValueError
            If ``size <= 0`` or ``abs(offset) >= size``.
        """
        return cls(duration("size", size), duration("offset", offset))


@dataclass(frozen=True, repr=False)
class TumblingProcessingTimeWindows(_Tumbling):
    """Windows of one length without gap or overlap, by the clock of the micro-batch. Build it with `of`.

    Attributes
    ----------
    size
        Length of a window.
    offset
        Shift of the grid, which otherwise starts at the epoch. There is no time zone.

    Examples
    --------
    >>> TumblingProcessingTimeWindows.of("10 seconds")
    TumblingProcessingTimeWindows.of("10 seconds")
    """

    size: timedelta
    offset: timedelta = ZERO

    @classmethod
    def of(cls, size: Duration, offset: Duration = ZERO) -> TumblingProcessingTimeWindows:
        """Make the assigner.

        Parameters
        ----------
        size
            Length of a window, positive: ``"5 minutes"`` or a timedelta.
        offset
            Shift of the grid, shorter than `size`; may be negative.

        Raises
        ------
        ValueError
            If ``size <= 0`` or ``abs(offset) >= size``.
        """
        return cls(duration("size", size), duration("offset", offset))


@dataclass(frozen=True, repr=False)
class SlidingEventTimeWindows(WindowAssigner):
    """Windows of length `size` that start every `slide`, by event time. Build it with `of`.

    An element belongs to about size / slide windows; with a slide longer than the size there are gaps, and
    an element in a gap belongs to no window.

    Attributes
    ----------
    size
        Length of a window.
    slide
        Distance from one start to the next.
    offset
        Shift of the grid, which otherwise starts at the epoch.

    Examples
    --------
    >>> SlidingEventTimeWindows.of("1 minute", "30 seconds")
    SlidingEventTimeWindows.of("1 minute", "30 seconds")
    """

    size: timedelta
    slide: timedelta
    offset: timedelta = ZERO

    def __post_init__(self) -> None:
        """Check the arguments, however the value was made."""
        set_field(self, "size", duration("size", self.size))
        set_field(self, "slide", duration("slide", self.slide))
        set_field(self, "offset", duration("offset", self.offset))
        if self.size <= ZERO or self.slide <= ZERO or abs(self.offset) >= self.slide:
            raise ValueError(
                "SlidingEventTimeWindows: size and slide must be positive and abs(offset) < slide, got "
                f"size = {brief(self.size)}, slide = {brief(self.slide)}, offset = {brief(self.offset)}"
            )

    @classmethod
    def of(cls, size: Duration, slide: Duration, offset: Duration = ZERO) -> SlidingEventTimeWindows:
        """Make the assigner.

        Parameters
        ----------
        size
            Length of a window, positive.
        slide
            Distance from the start of one window to the start of the next, positive.
        offset
            Shift of the grid, shorter than `slide`; may be negative.

        Raises
        ------
        ValueError
            If ``size <= 0`` or ``abs(offset) >= slide``.
        """
        return cls(duration("size", size), duration("slide", slide), duration("offset", offset))


@dataclass(frozen=True, repr=False)
class EventTimeSessionWindows(WindowAssigner):
    """Sessions by event time: a window lasts until no element has come for the gap. Build it with `with_gap`.

    Attributes
    ----------
    gap
        The silence that ends a session. Elements exactly one gap apart share a session.

    Examples
    --------
    >>> EventTimeSessionWindows.with_gap("30 minutes")
    EventTimeSessionWindows.with_gap("30 minutes")
    """

    _factory: ClassVar[str] = "with_gap"

    gap: timedelta

    def __post_init__(self) -> None:
        """Check the argument, however the value was made."""
        set_field(self, "gap", duration("gap", self.gap))
        if self.gap <= ZERO:
            raise ValueError(f"EventTimeSessionWindows: gap must be positive, got {brief(self.gap)}")

    @classmethod
    def with_gap(cls, gap: Duration) -> EventTimeSessionWindows:
        """Make the assigner.

        Parameters
        ----------
        gap
            The silence that ends a session, positive.

        Raises
        ------
        ValueError
            If ``gap <= 0``.
        """
        return cls(duration("gap", gap))


@dataclass(frozen=True, repr=False)
class GlobalWindows(WindowAssigner):
    """One window for all elements of a key. It never ends: only a trigger fires it. Build it with `create`.

    No element is late and nothing is cleaned up: without a purging trigger the state of a key only grows.

    Examples
    --------
    >>> GlobalWindows.create()
    GlobalWindows.create()
    """

    _factory: ClassVar[str] = "create"

    @classmethod
    def create(cls) -> GlobalWindows:
        """Make the assigner; its default trigger is `NeverTrigger`, so give it one."""
        return cls()
