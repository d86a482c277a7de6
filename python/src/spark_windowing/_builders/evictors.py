"""Evictors, which remove elements from a window when it fires, before or after the function."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, final

from spark_windowing._builders.arguments import truth, whole_number
from spark_windowing._builders.durations import Duration, duration
from spark_windowing._builders.part import Part, set_field

if TYPE_CHECKING:
    from datetime import timedelta


@final
class Evictor(Part):
    """Base class of the evictors. A window with an evictor stores all its elements.

    Examples
    --------
    >>> isinstance(CountEvictor.of(100), Evictor)
    True
    """

    _package: ClassVar[str] = "dev.sparkwindowing.evictors"
    _own: ClassVar[str] = (
        'Write it as a column, .evictor(sw.ColumnEvictor.keep("position >= count - 3")); '
        'or as a class in Scala or Java, .evictor(sw.jvm("com.acme.MyEvictor"))'
    )


@dataclass(frozen=True, repr=False)
class CountEvictor(Evictor):
    """Keeps the newest `max_count` elements, in order of arrival, and deletes the others.

    Build it with `of`, whose arguments are the attributes.

    Examples
    --------
    >>> CountEvictor.of(100, do_evict_after=True)
    CountEvictor.of(100, do_evict_after=True)
    """

    max_count: int
    _: KW_ONLY
    do_evict_after: bool = False

    def __post_init__(self) -> None:
        """Check the arguments, however the value was made."""
        set_field(self, "max_count", whole_number("CountEvictor", "max_count", self.max_count))
        truth("CountEvictor", "do_evict_after", self.do_evict_after)

    @classmethod
    def of(cls, max_count: int, *, do_evict_after: bool = False) -> CountEvictor:
        """Make the evictor.

        Parameters
        ----------
        max_count
            Number of elements to keep; 0 or less keeps none, as in Flink.
        do_evict_after
            Whether to evict after the function instead of before it.

        Returns
        -------
        CountEvictor
            For `WindowedStream.evictor`.

        Raises
        ------
        TypeError
            If `max_count` is no whole number.
        """
        return cls(max_count, do_evict_after=do_evict_after)


@dataclass(frozen=True, repr=False)
class TimeEvictor(Evictor):
    """Keeps the elements less than `size` older, in event time, than the newest element of the window.

    An element exactly `size` older is evicted. If the first element has no event time, none is evicted.

    Build it with `of`, whose arguments are the attributes, durations as timedelta.

    Examples
    --------
    >>> TimeEvictor.of("10 seconds")
    TimeEvictor.of("10 seconds")
    """

    size: timedelta
    _: KW_ONLY
    do_evict_after: bool = False

    def __post_init__(self) -> None:
        """Check the arguments, however the value was made."""
        set_field(self, "size", duration("size", self.size))
        truth("TimeEvictor", "do_evict_after", self.do_evict_after)

    @classmethod
    def of(cls, size: Duration, *, do_evict_after: bool = False) -> TimeEvictor:
        """Make the evictor.

        Parameters
        ----------
        size
            Span of event time to keep.
        do_evict_after
            Whether to evict after the function instead of before it.

        Returns
        -------
        TimeEvictor
            For `WindowedStream.evictor`.

        Raises
        ------
        TypeError, ValueError
            If `size` is no duration.
        """
        return cls(duration("size", size), do_evict_after=do_evict_after)
