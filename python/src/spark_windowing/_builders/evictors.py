"""Evictors: which elements leave a window when it fires, before or after the function."""

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
    """What every evictor is; see the classes below it. A window with an evictor keeps all its elements.

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
    """Keeps the newest `max_count` elements, in order of arrival. The others are gone for good.

    Build it with `of`.

    Attributes
    ----------
    max_count
        Elements that stay; 0 or less keeps none, as in Flink.
    do_evict_after
        Whether elements leave after the function instead of before it.

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
            Elements that stay.
        do_evict_after
            Evict after the function instead of before it.

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
    """Keeps the elements of the last `size` of event time, counted back from the newest of the window.

    An element exactly that old goes. Nothing goes where the first element has no event time.

    Build it with `of`.

    Attributes
    ----------
    size
        Event time that stays.
    do_evict_after
        Whether elements leave after the function instead of before it.

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
            Event time that stays.
        do_evict_after
            Evict after the function instead of before it.

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
