"""Process functions of keys that are written as columns, with state and timers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import Enum
from typing import TYPE_CHECKING, ClassVar

from spark_windowing._builders.arguments import expression, function
from spark_windowing._builders.arguments import name as check_name
from spark_windowing._builders.column_lambdas import called_by_name, check_names
from spark_windowing._builders.part import Expression, ExpressionPart, ScalaCall, set_field
from spark_windowing._builders.time_to_live import Clock, time_to_live

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column

    from spark_windowing._builders.durations import Duration

_PACKAGE = "dev.sparkwindowing.columns"
_COLUMNS = {
    "on_element": ("row", "state", "ctx"),
    "on_event_timer": ("time", "state", "ctx"),
    "on_processing_timer": ("time", "state", "ctx"),
}


class _Omitted(Enum):
    """Stands for an argument that is not given, where None is null."""

    OMITTED = "omitted"


_OMITTED = _Omitted.OMITTED


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Do(ExpressionPart):
    """Action of a `ColumnProcess` in a call: new state, results, timers. Every part is optional.

    Each part is SQL text or a Column, or None, which is the same as a null column. What is not given stays as
    it is.

    Attributes
    ----------
    state
        The new state of the key: a struct with the fields of the state. Null clears the state: the next call
        of the key finds the initial one.
    emit
        The results: a struct for one, an array of structs for any number, null for none.
    event_timer
        The time of the key's event-time timer, of the type of the event time. It replaces the one before;
        null deletes it. A timer at or before the watermark fires when that next advances.
    processing_timer
        The same for the key's timer of processing time, a TIMESTAMP.
    side
        Rows for side outputs: a dict of tags and what `emit` takes.

    Examples
    --------
    >>> Do(emit="struct('silent' AS what, time AS at)", processing_timer=None)
    Do(emit="struct('silent' AS what, time AS at)", processing_timer=None)
    """

    _factory: ClassVar[str] = ""

    state: str | Column | _Omitted | None = _OMITTED
    emit: str | Column | _Omitted | None = _OMITTED
    event_timer: str | Column | _Omitted | None = _OMITTED
    processing_timer: str | Column | _Omitted | None = _OMITTED
    side: Mapping[str, str | Column | None] | _Omitted = _OMITTED

    def __post_init__(self) -> None:
        """Check the arguments."""
        for part, value in self._given().items():
            if part != "side":
                _check("Do", part, value)
        if self.side is _OMITTED:
            return
        if not isinstance(self.side, Mapping):
            raise TypeError(f'Do: side must be a dict such as {{"late": F.struct(..)}}, got {self.side!r}')
        for tag, value in self.side.items():
            check_name("Do", "the tag of a side output", tag)
            _check("Do", f"side[{tag!r}]", value)
        set_field(self, "side", dict(self.side))

    def _scala(self) -> ScalaCall:
        given = self._given().items()
        made = {part: _written(f"Do: {part}", value) for part, value in given if part != "side"}
        side = self.side if isinstance(self.side, Mapping) else {}
        parts = (made.get(field.name) for field in fields(self) if field.name != "side")
        columns = tuple(_written(f"Do: side[{tag!r}]", value) for tag, value in side.items())
        return ScalaCall(f"{_PACKAGE}.Do", "of", (*parts, tuple(side), columns))


@dataclass(frozen=True, repr=False, eq=False)
class ColumnProcess(ExpressionPart):
    """Process function of keys, written as columns, which run in the JVM. For `KeyedStream.process`.

    Build it with `of`. A key has state, a struct, and at most one timer of event time and one of processing
    time.

    Examples
    --------
    >>> ColumnProcess.of(on_element=Do(emit="struct(row.price * 2 AS twice)"))
    ColumnProcess.of(on_element=Do(emit='struct(row.price * 2 AS twice)'))
    """

    _own: ClassVar[str] = (
        "Give its methods as columns, sw.ColumnProcess.of(on_element=..); or write a KeyedProcessFunction in "
        'Scala or Java, .process(sw.jvm("com.acme.MyProcess"), schema="..")'
    )

    on_element: Do | Callable[..., Do]
    state: str | Column | Callable[[], Column] | None = None
    on_event_timer: Do | Callable[..., Do] | None = None
    on_processing_timer: Do | Callable[..., Do] | None = None
    ttl: Duration | None = None
    ttl_clock: Clock = "event_time"

    def __post_init__(self) -> None:
        """Check the arguments."""
        if self.state is not None:
            function("ColumnProcess", "state", self.state)
        for call, columns in _COLUMNS.items():
            value = getattr(self, call)
            if isinstance(value, Do) or (value is None and call != "on_element"):
                continue
            if not callable(value):
                raise TypeError(f"ColumnProcess: {call} must be a Do or a function of Columns, got {value!r}")
            wanted = check_names("ColumnProcess", call, value, columns)
            if self.state is None and "state" in wanted:
                raise ValueError(
                    f"ColumnProcess: {call} takes state, and the key has none: add state=, a struct of "
                    "constants"
                )
        set_field(self, "ttl", time_to_live("ColumnProcess", self.ttl, self.ttl_clock))

    @classmethod
    def of(
        cls,
        *,
        on_element: Do | Callable[..., Do],
        state: str | Column | Callable[[], Column] | None = None,
        on_event_timer: Do | Callable[..., Do] | None = None,
        on_processing_timer: Do | Callable[..., Do] | None = None,
        ttl: Duration | None = None,
        ttl_clock: Clock = "event_time",
    ) -> ColumnProcess:
        """Make a process function from what it does with rows and timers.

        A call is a `Do` whose texts name columns, or a function that takes columns *by the names of its
        parameters* and returns a `Do`. The function is called when the query is declared. All calls can
        use ``state`` and ``ctx``: ``ctx.key`` (a struct of the key columns), ``ctx.watermark``,
        ``ctx.processing_time`` and ``ctx.timestamp``, the event time of the row or of the event-time timer;
        each is null if there is none.

        Parameters
        ----------
        on_element
            Effects of a row. It can also use ``row``, a struct of the columns of the input. No row is late.
        state
            The initial state of a key: a struct of constants. Its fields are widened without loss to the
            types that the calls give.
        on_event_timer
            Effects of the event-time timer of a key. It can also use its ``time``.
        on_processing_timer
            Effects of the processing-time timer of a key, likewise.
        ttl
            Time to live of the state, after the last call that set it: the key then begins anew. A duration;
            by default the state stays until it is cleared.
        ttl_clock
            Clock of `ttl`: ``"event_time"``, the time of rows and event-time timers, or
            ``"processing_time"``.

        Returns
        -------
        ColumnProcess
            For `KeyedStream.process`.

        Raises
        ------
        TypeError
            If a call is neither a `Do` nor a function of these names that returns one.
        ValueError
            When the query is declared: if a timer is set without a call for it, there is a call for a timer
            that is never set, or types do not fit together.

        Examples
        --------
        Each price with the one before of its user:

        >>> ColumnProcess.of(
        ...     state="struct(int(null) AS price)",
        ...     on_element=Do(
        ...         state="struct(row.price)", emit="struct(row.price, state.price AS before)"
        ...     ),
        ... )  # doctest: +ELLIPSIS
        ColumnProcess.of(on_element=Do(state='struct(row.price)', ...), state='struct(int(null) AS price)')
        """
        return cls(on_element, state, on_event_timer, on_processing_timer, ttl, ttl_clock)

    def _scala(self) -> ScalaCall:
        state = None if self.state is None else Expression("ColumnProcess: state", self.state)
        calls = [_do(call, getattr(self, call)) for call in _COLUMNS]
        return ScalaCall(
            f"{_PACKAGE}.ColumnProcess", "of", (calls[0], state, *calls[1:], self.ttl, self.ttl_clock)
        )

    def __repr__(self) -> str:
        """Return the call that makes an equal value."""
        first, _, others = super().__repr__().partition("(")
        return f"{first}(on_element={others}"


def _check(owner: str, part: str, value: object) -> None:
    if value is not None:
        expression(owner, part, value)


def _written(what: str, value: object) -> Expression:
    return Expression(what, "NULL" if value is None else value)


def _do(call: str, value: Do | Callable[..., Do] | None) -> Do | None:
    if value is None or isinstance(value, Do):
        return value
    made = called_by_name(f"ColumnProcess: {call}", value)
    if not isinstance(made, Do):
        raise TypeError(f"ColumnProcess: {call} must return a Do, sw.Do(emit=..), got {made!r}")
    return made
