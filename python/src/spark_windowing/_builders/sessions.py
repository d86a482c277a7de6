"""Session windows, which end after a gap without elements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast

from spark_windowing._builders.arguments import expression
from spark_windowing._builders.assigners import WindowAssigner
from spark_windowing._builders.durations import ZERO, Duration, brief, duration
from spark_windowing._builders.part import Expression, ExpressionPart, ScalaCall, set_field

if TYPE_CHECKING:
    from datetime import timedelta

    from pyspark.sql import Column

# ruff: noqa: PYI019  (not Self: Python 3.10 lacks it, and editors complete by a TypeVar)
Session = TypeVar("Session", bound="_Session")
Dynamic = TypeVar("Dynamic", bound="_DynamicSession")


class _Limited(ExpressionPart, WindowAssigner, ABC):
    """Sessions that may have a greatest length and rows that end them."""

    gap: Any
    max_length: timedelta | None
    ends_at: str | Column | None

    @property
    def _owner(self) -> str:
        return type(self).__name__.removeprefix("Dynamic")

    def _check_limits(self) -> None:
        if self.max_length is not None:
            set_field(self, "max_length", duration("max length", self.max_length))
            if self.max_length <= ZERO:
                raise ValueError(f"{self._owner}: max length must be positive, got {brief(self.max_length)}")
        if self.ends_at is not None:
            expression(self._owner, "ends_at", self.ends_at)

    def _scala(self) -> ScalaCall:
        if self.max_length is None and self.ends_at is None:
            return self._plain()
        plain = replace(cast("Any", self), max_length=None, ends_at=None)
        ends_at = self.ends_at if self.ends_at is None else Expression("the end of sessions", self.ends_at)
        return ScalaCall(
            "dev.sparkwindowing.columns.ColumnSessionEnd", "limited", (plain, self.max_length, ends_at)
        )

    @abstractmethod
    def _plain(self) -> ScalaCall:
        """Call that makes the sessions without their limits."""


@dataclass(frozen=True, repr=False, eq=False)
class _DynamicSession(_Limited):
    """Sessions by any clock whose gap is a column."""

    _factory: ClassVar[str] = "with_dynamic_gap"
    _gap_factory: ClassVar[str]

    gap: Any
    max_length: timedelta | None = None
    ends_at: str | Column | None = None

    def __post_init__(self) -> None:
        expression(self._owner, "gap", self.gap)
        self._check_limits()

    def _plain(self) -> ScalaCall:
        gap = Expression("the dynamic gap", self.gap)
        return ScalaCall("dev.sparkwindowing.columns.ColumnGap", self._gap_factory, (gap,))


@dataclass(frozen=True, repr=False, eq=False)
class DynamicEventTimeSessionWindows(_DynamicSession):
    """Sessions by event time with a gap taken from each row.

    Made by `EventTimeSessionWindows.with_dynamic_gap`, whose arguments are the attributes.

    Examples
    --------
    >>> EventTimeSessionWindows.with_dynamic_gap("gap")
    EventTimeSessionWindows.with_dynamic_gap('gap')
    """

    _gap_factory: ClassVar[str] = "eventTime"


@dataclass(frozen=True, repr=False, eq=False)
class DynamicProcessingTimeSessionWindows(_DynamicSession):
    """Sessions by processing time with a gap taken from each row.

    Made by `ProcessingTimeSessionWindows.with_dynamic_gap`, whose arguments are the attributes.

    Examples
    --------
    >>> ProcessingTimeSessionWindows.with_dynamic_gap("gap")
    ProcessingTimeSessionWindows.with_dynamic_gap('gap')
    """

    _gap_factory: ClassVar[str] = "processingTime"


@dataclass(frozen=True, repr=False, eq=False)
class _Session(_Limited):
    """Sessions by any clock with one gap."""

    _factory: ClassVar[str] = "with_gap"

    gap: timedelta
    max_length: timedelta | None = None
    ends_at: str | Column | None = None

    def __post_init__(self) -> None:
        set_field(self, "gap", duration("gap", self.gap))
        if self.gap <= ZERO:
            raise ValueError(f"{self._owner}: gap must be positive, got {brief(self.gap)}")
        self._check_limits()
        if self.max_length is not None and self.max_length < self.gap:
            raise ValueError(
                f"{self._owner}: max length must not be shorter than the gap, "
                f"got max length = {brief(self.max_length)}, gap = {brief(self.gap)}"
            )

    @classmethod
    def with_gap(
        cls: type[Session],
        gap: Duration,
        max_length: Duration | None = None,
        ends_at: str | Column | None = None,
    ) -> Session:
        """Make the assigner.

        Parameters
        ----------
        gap
            Time without elements that ends a session, positive. Elements exactly one gap apart share a
            session.
        max_length
            Greatest length of a session, from its start to its end; at least the gap. A row that does not fit
            begins a session of its own. None for any.
        ends_at
            SQL text or a Column, boolean. A row for which it is true is the last of its session, which ends
            1 ms after it; a later row begins another one. Null is false. None for none.

        Returns
        -------
        EventTimeSessionWindows or ProcessingTimeSessionWindows
            For `KeyedStream.window`.

        Raises
        ------
        ValueError
            If ``gap <= 0`` or ``max_length < gap``.
        TypeError
            If `ends_at` is neither text nor a Column.
        """
        longest = None if max_length is None else duration("max length", max_length)
        return cls(duration("gap", gap), longest, ends_at)

    def _plain(self) -> ScalaCall:
        return ScalaCall(f"{self._package}.{type(self).__name__}", "withGap", (self.gap,))


class _DynamicGap(Generic[Dynamic]):
    """Factory of sessions by the same clock with a gap taken from each row."""

    _dynamic: ClassVar[Any]

    @classmethod
    def with_dynamic_gap(
        cls,
        gap: str | Column,
        max_length: Duration | None = None,
        ends_at: str | Column | None = None,
    ) -> Dynamic:
        """Make sessions with a gap taken from each row.

        Parameters
        ----------
        gap
            SQL text, such as the name of a column, or a Column: an interval, or text such as
            ``5 seconds``, as in ``F.session_window``. A null or non-positive gap fails the query.
        max_length
            Greatest length of a session, positive. It cuts a longer gap, too.
        ends_at
            As in `with_gap`. The gap of a row that ends its session is not used.

        Returns
        -------
        DynamicEventTimeSessionWindows or DynamicProcessingTimeSessionWindows
            For `KeyedStream.window`.

        Raises
        ------
        ValueError
            If ``max_length <= 0``.
        TypeError
            If `gap` or `ends_at` is neither text nor a Column.
        """
        longest = None if max_length is None else duration("max length", max_length)
        sessions: Dynamic = cls._dynamic(gap, longest, ends_at)
        return sessions


@dataclass(frozen=True, repr=False, eq=False)
class EventTimeSessionWindows(_Session, _DynamicGap[DynamicEventTimeSessionWindows]):
    """Sessions by event time, which end after a gap without elements. Build it with `with_gap`.

    `with_dynamic_gap` takes the gap from each row. The attributes are the arguments of `with_gap`, durations
    as timedelta.

    Examples
    --------
    >>> EventTimeSessionWindows.with_gap("30 minutes")
    EventTimeSessionWindows.with_gap("30 minutes")
    >>> EventTimeSessionWindows.with_gap("30 minutes", max_length="4 hours", ends_at="kind = 'logout'")
    EventTimeSessionWindows.with_gap("30 minutes", max_length="4 hours", ends_at="kind = 'logout'")
    """

    _dynamic: ClassVar[Any] = DynamicEventTimeSessionWindows


@dataclass(frozen=True, repr=False, eq=False)
class ProcessingTimeSessionWindows(_Session, _DynamicGap[DynamicProcessingTimeSessionWindows]):
    """Sessions by processing time; event time is ignored. Build it with `with_gap`.

    `with_dynamic_gap` takes the gap from each row. The attributes are the arguments of `with_gap`, durations
    as timedelta.

    Examples
    --------
    >>> ProcessingTimeSessionWindows.with_gap("30 minutes")
    ProcessingTimeSessionWindows.with_gap("30 minutes")
    """

    _dynamic: ClassVar[Any] = DynamicProcessingTimeSessionWindows
