"""Evictors: which elements leave a window when it fires, before or after the function."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from spark_windowing._parts import Part, set_field, whole_number


class Evictor(Part):
    """What every evictor is; see the classes below it. A window with an evictor keeps all its elements."""

    _package: ClassVar[str] = "dev.sparkwindowing.evictors"


@dataclass(frozen=True, repr=False)
class CountEvictor(Evictor):
    """Keeps the newest `max_count` elements, in order of arrival. The others are gone for good.

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
        if not isinstance(self.do_evict_after, bool):
            raise TypeError(
                f"CountEvictor: do_evict_after must be True or False, got {self.do_evict_after!r}"
            )

    @classmethod
    def of(cls, max_count: int, *, do_evict_after: bool = False) -> CountEvictor:
        """Make the evictor.

        Parameters
        ----------
        max_count
            Elements that stay.
        do_evict_after
            Evict after the function instead of before it.

        Raises
        ------
        TypeError
            If `max_count` is no whole number.
        """
        return cls(max_count, do_evict_after=do_evict_after)
