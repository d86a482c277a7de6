"""Session windows, which end after a gap without elements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from spark_windowing._builders.arguments import expression
from spark_windowing._builders.assigners import WindowAssigner
from spark_windowing._builders.durations import ZERO, Duration, brief, duration
from spark_windowing._builders.part import Expression, ExpressionPart, ScalaCall, set_field

if TYPE_CHECKING:
    from datetime import timedelta

    from pyspark.sql import Column


class _Session(WindowAssigner):
    """Field and check of the session assigners."""

    _factory: ClassVar[str] = "with_gap"

    gap: timedelta

    def __post_init__(self) -> None:
        set_field(self, "gap", duration("gap", self.gap))
        if self.gap <= ZERO:
            raise ValueError(f"{type(self).__name__}: gap must be positive, got {brief(self.gap)}")


class _DynamicSession(ExpressionPart, WindowAssigner):
    """Sessions whose gap is a column."""

    _gap_factory: ClassVar[str]

    gap: str | Column

    def __post_init__(self) -> None:
        expression(type(self).__name__.removeprefix("Dynamic"), "gap", self.gap)

    def _scala(self) -> ScalaCall:
        gap = Expression("the dynamic gap", self.gap)
        return ScalaCall("dev.sparkwindowing.columns.ColumnGap", self._gap_factory, (gap,))

    def __repr__(self) -> str:
        owner = type(self).__name__.removeprefix("Dynamic")
        return f"{owner}.with_dynamic_gap({self.gap!r})"


@dataclass(frozen=True, repr=False)
class EventTimeSessionWindows(_Session):
    """Sessions by event time, which end after a gap without elements. Build it with `with_gap`.

    `with_dynamic_gap` takes the gap from each row.

    Attributes
    ----------
    gap
        Time without elements that ends a session. Elements exactly one gap apart share a session.

    Examples
    --------
    >>> EventTimeSessionWindows.with_gap("30 minutes")
    EventTimeSessionWindows.with_gap("30 minutes")
    """

    gap: timedelta

    @classmethod
    def with_gap(cls, gap: Duration) -> EventTimeSessionWindows:
        """Make the assigner.

        Parameters
        ----------
        gap
            Time without elements that ends a session, positive.

        Returns
        -------
        EventTimeSessionWindows
            For `KeyedStream.window`.

        Raises
        ------
        ValueError
            If ``gap <= 0``.
        """
        return cls(duration("gap", gap))

    @classmethod
    def with_dynamic_gap(cls, gap: str | Column) -> DynamicEventTimeSessionWindows:
        """Make sessions with a gap taken from each row.

        Parameters
        ----------
        gap
            SQL text, such as the name of a column, or a Column: an interval, or text such as
            ``5 seconds``, as in ``F.session_window``. A null or non-positive gap fails the query.

        Returns
        -------
        DynamicEventTimeSessionWindows
            For `KeyedStream.window`.

        Raises
        ------
        TypeError
            If it is neither.
        """
        return DynamicEventTimeSessionWindows(gap)


@dataclass(frozen=True, repr=False)
class ProcessingTimeSessionWindows(_Session):
    """Sessions by processing time; event time is ignored. Build it with `with_gap`.

    `with_dynamic_gap` takes the gap from each row.

    Attributes
    ----------
    gap
        Time without elements that ends a session.

    Examples
    --------
    >>> ProcessingTimeSessionWindows.with_gap("30 minutes")
    ProcessingTimeSessionWindows.with_gap("30 minutes")
    """

    gap: timedelta

    @classmethod
    def with_gap(cls, gap: Duration) -> ProcessingTimeSessionWindows:
        """Make the assigner.

        Parameters
        ----------
        gap
            Time without elements that ends a session, positive.

        Returns
        -------
        ProcessingTimeSessionWindows
            For `KeyedStream.window`.

        Raises
        ------
        ValueError
            If ``gap <= 0``.
        """
        return cls(duration("gap", gap))

    @classmethod
    def with_dynamic_gap(cls, gap: str | Column) -> DynamicProcessingTimeSessionWindows:
        """Make sessions with a gap taken from each row.

        Parameters
        ----------
        gap
            SQL text, such as the name of a column, or a Column: an interval, or text such as
            ``5 seconds``. A null or non-positive gap fails the query.

        Returns
        -------
        DynamicProcessingTimeSessionWindows
            For `KeyedStream.window`.

        Raises
        ------
        TypeError
            If it is neither.
        """
        return DynamicProcessingTimeSessionWindows(gap)


@dataclass(frozen=True, repr=False, eq=False)
class DynamicEventTimeSessionWindows(_DynamicSession):
    """Sessions by event time with a gap taken from each row.

    Made by `EventTimeSessionWindows.with_dynamic_gap`.

    Attributes
    ----------
    gap
        The column.

    Examples
    --------
    >>> EventTimeSessionWindows.with_dynamic_gap("gap")
    EventTimeSessionWindows.with_dynamic_gap('gap')
    """

    _gap_factory: ClassVar[str] = "eventTime"

    gap: Any


@dataclass(frozen=True, repr=False, eq=False)
class DynamicProcessingTimeSessionWindows(_DynamicSession):
    """Sessions by processing time with a gap taken from each row.

    Made by `ProcessingTimeSessionWindows.with_dynamic_gap`.

    Attributes
    ----------
    gap
        The column.

    Examples
    --------
    >>> ProcessingTimeSessionWindows.with_dynamic_gap("gap")
    ProcessingTimeSessionWindows.with_dynamic_gap('gap')
    """

    _gap_factory: ClassVar[str] = "processingTime"

    gap: Any
