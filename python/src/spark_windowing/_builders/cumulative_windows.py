"""Windows that start together and grow step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_windowing._builders.assigners import WindowAssigner
from spark_windowing._builders.durations import ZERO, Duration, brief, duration
from spark_windowing._builders.part import set_field

if TYPE_CHECKING:
    from datetime import timedelta


@dataclass(frozen=True, repr=False)
class CumulativeEventTimeWindows(WindowAssigner):
    """Windows that start together and end a step apart, up to the longest, by event time. Build it with `of`.

    An element belongs to every window that ends after it. CUMULATE of Flink SQL. The attributes are the
    arguments of `of`, durations as timedelta.

    Examples
    --------
    >>> CumulativeEventTimeWindows.of("1 day", "1 hour")
    CumulativeEventTimeWindows.of("1 day", "1 hour")
    """

    max_size: timedelta
    step: timedelta
    offset: timedelta = ZERO

    def __post_init__(self) -> None:
        set_field(self, "max_size", duration("max_size", self.max_size))
        set_field(self, "step", duration("step", self.step))
        set_field(self, "offset", duration("offset", self.offset))
        if self.max_size <= ZERO or self.step <= ZERO or abs(self.offset) >= self.max_size:
            raise ValueError(self._refusal("max_size and step must be positive and abs(offset) < max_size"))
        if self.max_size % self.step:
            raise ValueError(self._refusal("max_size must be a multiple of step"))

    @classmethod
    def of(cls, max_size: Duration, step: Duration, offset: Duration = ZERO) -> CumulativeEventTimeWindows:
        """Make the assigner.

        Parameters
        ----------
        max_size
            Length of the longest window, and distance from one start to the next, a multiple of `step`:
            ``"1 day"`` or a timedelta.
        step
            Length of the shortest window, and distance from one end to the next, positive.
        offset
            Shift of the window starts, which are otherwise aligned to the epoch in UTC; shorter than
            `max_size`, may be negative.

        Returns
        -------
        CumulativeEventTimeWindows
            For `KeyedStream.window`.

        Raises
        ------
        ValueError
            If `max_size` is no multiple of `step`, or ``abs(offset) >= max_size``.
        """
        return cls(duration("max_size", max_size), duration("step", step), duration("offset", offset))

    def _refusal(self, rule: str) -> str:
        return (
            f"CumulativeEventTimeWindows: {rule}, got max_size = {brief(self.max_size)}, "
            f"step = {brief(self.step)}, offset = {brief(self.offset)}"
        )
