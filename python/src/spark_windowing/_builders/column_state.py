"""State of a window or a key, written as columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spark_windowing._builders.arguments import expression, function
from spark_windowing._builders.part import Expression, ExpressionPart, ScalaCall, set_field
from spark_windowing._builders.time_to_live import Clock, time_to_live

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column

    from spark_windowing._builders.durations import Duration


@dataclass(frozen=True, repr=False, eq=False)
class ColumnState(ExpressionPart):
    """State of a window or a key: a struct that is updated after each firing.

    For ``window_state=`` and ``global_state=``. Build it with `of`, whose arguments are the attributes.

    The update runs in the JVM, after the result is emitted: the function sees the state before the update.

    Examples
    --------
    >>> ColumnState.of("struct(0 as seen)", "struct(state.seen + result.clicks as seen)")
    ColumnState.of('struct(0 as seen)', 'struct(state.seen + result.clicks as seen)')
    """

    initial: str | Column | Callable[[], Column]
    update: str | Callable[[Any, Any], Any]
    ttl: Duration | None = None
    ttl_clock: Clock = "event_time"

    def __post_init__(self) -> None:
        """Check the arguments."""
        if not callable(self.initial):
            expression("ColumnState", "initial", self.initial)
        function("ColumnState", "update", self.update)
        set_field(self, "ttl", time_to_live("ColumnState", self.ttl, self.ttl_clock))

    @classmethod
    def of(
        cls,
        initial: str | Column | Callable[[], Column],
        update: str | Callable[[Column, Column], Column],
        *,
        ttl: Duration | None = None,
        ttl_clock: Clock = "event_time",
    ) -> ColumnState:
        """Make the state.

        Parameters
        ----------
        initial
            A struct of constants: SQL text, or a function without arguments that returns a Column.
        update
            The new struct: SQL text over the structs ``state`` and ``result``, or a function of these two
            Columns. ``result`` is the result of the aggregate or the reduce; for `WindowedStream.process`
            alone it is the array of all elements.
        ttl
            Time to live of the state of a key, after its last update: it then begins anew. A duration; None
            for ever. Not for the state of a window, which is removed with it.
        ttl_clock
            Clock of `ttl`: ``"event_time"`` or ``"processing_time"``. A firing has the event time of the
            last millisecond of its window, or the watermark if that is earlier.

        Returns
        -------
        ColumnState
            The state.

        Raises
        ------
        TypeError
            If an argument is of the wrong type.
        ValueError
            If `ttl` is no duration, or there is no such clock.
        """
        return cls(initial, update, ttl, ttl_clock)

    def _scala(self) -> ScalaCall:
        initial = Expression("ColumnState: initial", self.initial)
        update = Expression("ColumnState: update", self.update, ("state", "result"))
        lives = () if self.ttl is None else (self.ttl, self.ttl_clock)
        return ScalaCall("dev.sparkwindowing.columns.ColumnState", "of", (initial, update, *lives))
