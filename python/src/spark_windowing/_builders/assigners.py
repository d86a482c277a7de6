"""Window assigners, which map an element to its windows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeVar, final

from spark_windowing._builders.arguments import one_of
from spark_windowing._builders.durations import ZERO, Duration, brief, duration
from spark_windowing._builders.part import Part, ScalaCall, set_field

if TYPE_CHECKING:
    from datetime import timedelta

Stagger = Literal["ALIGNED", "RANDOM", "NATURAL"]

# ruff: noqa: PYI019  (not Self: Python 3.10 lacks it, and editors complete by a TypeVar)
Tumbling = TypeVar("Tumbling", bound="_Tumbling")
Sliding = TypeVar("Sliding", bound="_Sliding")


@final
class WindowAssigner(Part):
    """Base class of the window assigners.

    Examples
    --------
    >>> isinstance(TumblingEventTimeWindows.of("5 minutes"), WindowAssigner)
    True
    """

    _package: ClassVar[str] = "dev.sparkwindowing.assigners"
    _own: ClassVar[str] = (
        'Write it as a column, .window(sw.ColumnAssigner.of("array(struct(ts, ts + INTERVAL 1 HOUR))")); '
        'or as a class in Scala or Java, .window(sw.jvm("com.acme.MyWindows"))'
    )


@dataclass(frozen=True, repr=False)
class _Tumbling(WindowAssigner):
    """Tumbling windows by any clock."""

    size: timedelta
    offset: timedelta = ZERO
    stagger: Stagger = "ALIGNED"

    def __post_init__(self) -> None:
        set_field(self, "size", duration("size", self.size))
        set_field(self, "offset", duration("offset", self.offset))
        if self.size <= ZERO or abs(self.offset) >= self.size:
            raise ValueError(
                f"{type(self).__name__}: size must be positive and abs(offset) < size, "
                f"got size = {brief(self.size)}, offset = {brief(self.offset)}"
            )
        one_of("stagger", self.stagger, Stagger)

    @classmethod
    def of(
        cls: type[Tumbling], size: Duration, offset: Duration = ZERO, stagger: Stagger = "ALIGNED"
    ) -> Tumbling:
        """Make the assigner.

        Parameters
        ----------
        size
            Length of a window, positive: ``"5 minutes"`` or a timedelta.
        offset
            Shift of the window starts, which are otherwise aligned to the epoch in UTC; shorter than `size`,
            may be negative. A day at GMT+8 is ``of("1 day", "-8 hours")``.
        stagger
            Another shift, which keeps queries from firing at the same time; ``"ALIGNED"`` means none.
            ``"RANDOM"`` draws it uniformly from the length of a window. ``"NATURAL"`` takes the distance of
            processing time from the start of its window. Both are computed once, at the first row.

        Returns
        -------
        TumblingEventTimeWindows or TumblingProcessingTimeWindows
            For `KeyedStream.window`.

        Raises
        ------
        ValueError
            If ``size <= 0``, ``abs(offset) >= size`` or `stagger` is not one of the three.
        """
        return cls(duration("size", size), duration("offset", offset), stagger)


@dataclass(frozen=True, repr=False)
class TumblingEventTimeWindows(_Tumbling):
    """Windows of one length without gap or overlap, by event time. Build it with `of`.

    The attributes are the arguments of `of`, durations as timedelta.

    Examples
    --------
    >>> TumblingEventTimeWindows.of("1 day", offset="-8 hours")
    TumblingEventTimeWindows.of("1 day", offset="-8 hours")
    """


@dataclass(frozen=True, repr=False)
class TumblingProcessingTimeWindows(_Tumbling):
    """Windows of one length without gap or overlap, by processing time. Build it with `of`.

    Processing time is the wall clock at the start of the micro-batch. The attributes are the arguments of
    `of`, durations as timedelta.

    Examples
    --------
    >>> TumblingProcessingTimeWindows.of("10 seconds")
    TumblingProcessingTimeWindows.of("10 seconds")
    """


@dataclass(frozen=True, repr=False)
class _Sliding(WindowAssigner):
    """Sliding windows by any clock."""

    size: timedelta
    slide: timedelta
    offset: timedelta = ZERO

    def __post_init__(self) -> None:
        set_field(self, "size", duration("size", self.size))
        set_field(self, "slide", duration("slide", self.slide))
        set_field(self, "offset", duration("offset", self.offset))
        if self.size <= ZERO or self.slide <= ZERO or abs(self.offset) >= self.slide:
            raise ValueError(
                f"{type(self).__name__}: size and slide must be positive and abs(offset) < slide, got "
                f"size = {brief(self.size)}, slide = {brief(self.slide)}, offset = {brief(self.offset)}"
            )

    @classmethod
    def of(cls: type[Sliding], size: Duration, slide: Duration, offset: Duration = ZERO) -> Sliding:
        """Make the assigner.

        Parameters
        ----------
        size
            Length of a window, positive: ``"5 minutes"`` or a timedelta.
        slide
            Distance between the starts of two consecutive windows, positive.
        offset
            Shift of the window starts, which are otherwise aligned to the epoch in UTC; shorter than `slide`,
            may be negative.

        Returns
        -------
        SlidingEventTimeWindows or SlidingProcessingTimeWindows
            For `KeyedStream.window`.

        Raises
        ------
        ValueError
            If ``size <= 0``, ``slide <= 0`` or ``abs(offset) >= slide``.
        """
        return cls(duration("size", size), duration("slide", slide), duration("offset", offset))


@dataclass(frozen=True, repr=False)
class SlidingEventTimeWindows(_Sliding):
    """Windows of length `size` that start every `slide`, by event time. Build it with `of`.

    An element belongs to about size / slide windows. If the slide is longer than the size, an element
    between two windows belongs to none. The attributes are the arguments of `of`, durations as timedelta.

    Examples
    --------
    >>> SlidingEventTimeWindows.of("1 minute", "30 seconds")
    SlidingEventTimeWindows.of("1 minute", "30 seconds")
    """


@dataclass(frozen=True, repr=False)
class SlidingProcessingTimeWindows(_Sliding):
    """Windows of length `size` that start every `slide`, by processing time. Build it with `of`.

    Processing time is the wall clock at the start of the micro-batch. The attributes are the arguments of
    `of`, durations as timedelta.

    Examples
    --------
    >>> SlidingProcessingTimeWindows.of("1 minute", "30 seconds")
    SlidingProcessingTimeWindows.of("1 minute", "30 seconds")
    """


@dataclass(frozen=True, repr=False)
class GlobalWindows(WindowAssigner):
    """One window for all elements of a key, without an end: only a trigger fires it. Build it with `create`.

    No element is late, and the window is never cleaned up: without a purging trigger the state grows.
    `create_with_end_of_stream_trigger` makes an assigner that fires at the end of a static DataFrame: its
    attribute `fires_at_end` is True.

    Examples
    --------
    >>> GlobalWindows.create()
    GlobalWindows.create()
    >>> GlobalWindows.create_with_end_of_stream_trigger()
    GlobalWindows.create_with_end_of_stream_trigger()
    """

    fires_at_end: bool = False

    @classmethod
    def create(cls) -> GlobalWindows:
        """Make the assigner. Its default trigger is `NeverTrigger`.

        Returns
        -------
        GlobalWindows
            For `KeyedStream.window`.
        """
        return cls()

    @classmethod
    def create_with_end_of_stream_trigger(cls) -> GlobalWindows:
        """Make the assigner with `EndOfStreamTrigger` as its default trigger.

        Returns
        -------
        GlobalWindows
            For `KeyedStream.window`.
        """
        return cls(fires_at_end=True)

    def _scala(self) -> ScalaCall:
        method = "createWithEndOfStreamTrigger" if self.fires_at_end else "create"
        return ScalaCall(f"{self._package}.GlobalWindows", method, ())

    def __repr__(self) -> str:
        """Return the call that makes an equal value."""
        return f"GlobalWindows.create{'_with_end_of_stream_trigger' if self.fires_at_end else ''}()"
