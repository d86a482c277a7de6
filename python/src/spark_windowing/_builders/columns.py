"""Assigner, evictors and the delta trigger, written as columns of the input."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from spark_windowing._builders.arguments import expression, function, number, truth
from spark_windowing._builders.assigners import WindowAssigner
from spark_windowing._builders.evictors import Evictor
from spark_windowing._builders.part import Expression, ExpressionPart, ScalaCall, set_field
from spark_windowing._builders.triggers import Trigger

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column

_PACKAGE = "dev.sparkwindowing.columns"


@dataclass(frozen=True, repr=False, eq=False)
class DeltaTrigger(ExpressionPart, Trigger):
    """Fires at a row further than `threshold` from the last row that fired, or else from the first.

    The reference row survives a purge. Not for sessions.

    Build it with `of`, whose arguments are the attributes.

    Examples
    --------
    >>> DeltaTrigger.of(5, "abs(new.speed - old.speed)")
    DeltaTrigger.of(5.0, 'abs(new.speed - old.speed)')
    >>> DeltaTrigger.of(5, lambda old, new: F.abs(new["speed"] - old["speed"]))
    DeltaTrigger.of(5.0, <lambda>)
    """

    threshold: float
    delta: str | Callable[[Any, Any], Any]

    def __post_init__(self) -> None:
        """Check the arguments, however the value was made."""
        set_field(self, "threshold", number("DeltaTrigger", "threshold", self.threshold))
        function("DeltaTrigger", "delta", self.delta)

    @classmethod
    def of(cls, threshold: float, delta: str | Callable[[Column, Column], Column]) -> DeltaTrigger:
        """Make the trigger.

        Parameters
        ----------
        threshold
            Distance to exceed; an equal distance does not fire.
        delta
            Distance of the new row from the old one: SQL text over the structs ``old`` and ``new``, or
            ``lambda old, new: column``. It runs in the JVM. Null does not fire.

        Returns
        -------
        DeltaTrigger
            For `WindowedStream.trigger`.

        Raises
        ------
        TypeError
            If the threshold is no number or `delta` is neither text nor a function.
        """
        return cls(threshold, delta)

    def _scala(self) -> ScalaCall:
        made = Expression("DeltaTrigger: delta", self.delta, ("old", "new"))
        return ScalaCall(f"{_PACKAGE}.ColumnDelta", "trigger", (self.threshold, made))


@dataclass(frozen=True, repr=False, eq=False)
class DeltaEvictor(ExpressionPart, Evictor):
    """Keeps the rows less than `threshold` from the last row of the window.

    The last row is compared with itself too.

    Build it with `of`, whose arguments are the attributes.

    Examples
    --------
    >>> DeltaEvictor.of(5, lambda element, last: F.abs(last["speed"] - element["speed"]))
    DeltaEvictor.of(5.0, <lambda>)
    """

    threshold: float
    delta: str | Callable[[Any, Any], Any]
    _: KW_ONLY
    do_evict_after: bool = False

    def __post_init__(self) -> None:
        """Check the arguments, however the value was made."""
        set_field(self, "threshold", number("DeltaEvictor", "threshold", self.threshold))
        function("DeltaEvictor", "delta", self.delta)
        truth("DeltaEvictor", "do_evict_after", self.do_evict_after)

    @classmethod
    def of(
        cls,
        threshold: float,
        delta: str | Callable[[Column, Column], Column],
        *,
        do_evict_after: bool = False,
    ) -> DeltaEvictor:
        """Make the evictor.

        Parameters
        ----------
        threshold
            Distance from which a row is evicted.
        delta
            Distance of a row from the last one: SQL text over ``element`` and ``last``, structs of the
            input's columns, or ``lambda element, last: column``. It runs in the JVM. A row with a null
            distance is kept.
        do_evict_after
            Whether to evict after the function instead of before it.

        Returns
        -------
        DeltaEvictor
            For `WindowedStream.evictor`.

        Raises
        ------
        TypeError
            If the threshold is no number or `delta` is neither text nor a function.
        """
        return cls(threshold, delta, do_evict_after=do_evict_after)

    def _scala(self) -> ScalaCall:
        made = Expression("DeltaEvictor: delta", self.delta, ("element", "last"))
        return ScalaCall(f"{_PACKAGE}.ColumnDelta", "evictor", (self.threshold, made, self.do_evict_after))


@dataclass(frozen=True, repr=False, eq=False)
class ColumnEvictor(ExpressionPart, Evictor):
    """Keeps the rows for which a column is true. Null is false.

    Build it with `keep`, whose arguments are the attributes.

    Examples
    --------
    >>> ColumnEvictor.keep("position >= count - 10 or element.price > 100")
    ColumnEvictor.keep('position >= count - 10 or element.price > 100')
    """

    _factory: ClassVar[str] = "keep"

    keep_if: str | Callable[[Any, Any, Any, Any], Any]
    _: KW_ONLY
    do_evict_after: bool = False

    def __post_init__(self) -> None:
        """Check the arguments, however the value was made."""
        function("ColumnEvictor", "keep", self.keep_if)
        truth("ColumnEvictor", "do_evict_after", self.do_evict_after)

    @classmethod
    def keep(
        cls,
        keep_if: str | Callable[[Column, Column, Column, Column], Column],
        *,
        do_evict_after: bool = False,
    ) -> ColumnEvictor:
        """Make the evictor.

        Parameters
        ----------
        keep_if
            A boolean expression over ``element`` (a struct of the input's columns), its ``position`` in
            order of arrival from 0, the ``count`` of rows, and the ``newest`` event time: SQL text, or
            ``lambda element, position, count, newest: column``.
        do_evict_after
            Whether to evict after the function instead of before it.

        Returns
        -------
        ColumnEvictor
            For `WindowedStream.evictor`.

        Raises
        ------
        TypeError
            If it is neither text nor a function.
        """
        return cls(keep_if, do_evict_after=do_evict_after)

    def _scala(self) -> ScalaCall:
        names = ("element", "position", "count", "newest")
        made = Expression("ColumnEvictor: keep", self.keep_if, names)
        return ScalaCall(f"{_PACKAGE}.ColumnEvictor", "keep", (made, self.do_evict_after))


@dataclass(frozen=True, repr=False, eq=False)
class ColumnAssigner(ExpressionPart, WindowAssigner):
    """The windows of a row as a column of the input. Build it with `of`, whose arguments are the attributes.

    Examples
    --------
    >>> ColumnAssigner.of("shifts")
    ColumnAssigner.of('shifts')
    """

    column: Any
    _: KW_ONLY
    event_time: bool = True

    def __post_init__(self) -> None:
        """Check the arguments, however the value was made."""
        expression("ColumnAssigner", "column", self.column)
        truth("ColumnAssigner", "event_time", self.event_time)

    @classmethod
    def of(cls, column: str | Column, *, event_time: bool = True) -> ColumnAssigner:
        """Make the assigner.

        Parameters
        ----------
        column
            SQL text, such as the name of a column, or a Column: an array of structs of two times, start
            (inclusive) and end (exclusive), of the type of the event time. Null or an empty array assigns
            the row to no window.
        event_time
            Whether the windows end by event time, else by processing time.

        Returns
        -------
        ColumnAssigner
            For `KeyedStream.window`.

        Raises
        ------
        TypeError
            If `column` is neither.
        """
        return cls(column, event_time=event_time)

    def _scala(self) -> ScalaCall:
        made = Expression("ColumnAssigner: column", self.column)
        return ScalaCall(f"{_PACKAGE}.ColumnAssigner", "of", (made, self.event_time))
