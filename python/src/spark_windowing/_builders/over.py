"""Over windows: one window for each element, which ends with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_windowing._builders.arguments import whole_number
from spark_windowing._builders.assigners import WindowAssigner
from spark_windowing._builders.durations import ZERO, Duration, brief, duration, show
from spark_windowing._builders.part import ScalaCall, set_field

if TYPE_CHECKING:
    from datetime import timedelta


@dataclass(frozen=True, repr=False)
class OverEventTimeWindows(WindowAssigner):
    """One window for each element, by event time: the element and those of its key before it.

    Build it with `preceding` or `preceding_rows`. A window fires when the watermark reaches the time of its
    element, then for each late element in it within the allowed lateness. So it takes no trigger and no
    evictor. `WindowedStream.with_row` adds the element to the result.

    The attributes are `length`, a timedelta, zero if rows are counted, and `rows`, 0 if there is a length.

    Examples
    --------
    >>> OverEventTimeWindows.preceding("10 minutes")
    OverEventTimeWindows.preceding("10 minutes")
    >>> OverEventTimeWindows.preceding_rows(10)
    OverEventTimeWindows.preceding_rows(10)
    """

    length: timedelta = ZERO
    rows: int = 0

    def __post_init__(self) -> None:
        """Check the arguments, however the value was made."""
        set_field(self, "length", duration("length", self.length))
        set_field(self, "rows", whole_number("OverEventTimeWindows", "rows", self.rows))
        if self.length != ZERO and self.rows != 0:
            raise ValueError(
                "OverEventTimeWindows: a window has a length or a number of rows, got "
                f"{brief(self.length)} and {self.rows}: make it with preceding or preceding_rows"
            )
        if self.length < ZERO or (self.length == ZERO and self.rows == 0):
            raise ValueError(f"OverEventTimeWindows: length must be positive, got {brief(self.length)}")
        if self.rows < 0:
            raise ValueError(f"OverEventTimeWindows: rows must be positive, got {self.rows}")

    @classmethod
    def preceding(cls, length: Duration) -> OverEventTimeWindows:
        """Make windows of a length: the element, and all elements of its key at most `length` before it.

        Elements of equal time are in each other's windows, also those that arrive later. A result shows the
        start, and as its end one millisecond after the element.

        Parameters
        ----------
        length
            Length of a window, positive: ``"10 minutes"`` or a timedelta. Both ends are included.

        Returns
        -------
        OverEventTimeWindows
            For `KeyedStream.window`.

        Raises
        ------
        ValueError
            If ``length <= 0``.
        """
        return cls(duration("length", length))

    @classmethod
    def preceding_rows(cls, rows: int) -> OverEventTimeWindows:
        """Make windows of the last `rows` elements of a key by event time, the element itself included.

        Elements of equal time are in order of arrival. The last ``rows - 1`` elements of every key
        stay stored for good.

        Parameters
        ----------
        rows
            Number of elements, positive. The first windows of a key have fewer.

        Returns
        -------
        OverEventTimeWindows
            For `KeyedStream.window`.

        Raises
        ------
        TypeError
            If `rows` is no whole number.
        ValueError
            If ``rows <= 0``.
        """
        if whole_number("OverEventTimeWindows", "rows", rows) <= 0:
            raise ValueError(f"OverEventTimeWindows: rows must be positive, got {rows}")
        return cls(rows=rows)

    def _scala(self) -> ScalaCall:
        name = f"{self._package}.{type(self).__name__}"
        if self.rows:
            return ScalaCall(name, "precedingRows", (self.rows,))
        return ScalaCall(name, "preceding", (self.length,))

    def __repr__(self) -> str:
        """Return the call that makes an equal value."""
        if self.rows:
            return f"OverEventTimeWindows.preceding_rows({self.rows})"
        return f'OverEventTimeWindows.preceding("{show(self.length)}")'
