"""Triggers that are written as columns, with a memory and timers of their own."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

from spark_windowing._builders.arguments import expression, function
from spark_windowing._builders.column_lambdas import called_by_name, check_names
from spark_windowing._builders.part import Expression, ExpressionPart, ScalaCall
from spark_windowing._builders.triggers import Trigger

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column

_PACKAGE = "dev.sparkwindowing.columns"
_COMMON = ("window", "watermark", "processing_time")
_TIMER = ("state", "time", "is_last", *_COMMON)
_COLUMNS = {
    "on_element": ("state", "element", "timestamp", *_COMMON),
    "on_event_time": _TIMER,
    "on_processing_time": _TIMER,
    "on_merge": ("states", *_COMMON),
}


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Answer(ExpressionPart):
    """Answer of a `ColumnTrigger`: fire, purge, the new state, timers. Every part is optional.

    Each part is SQL text or a Column; `fire` and `purge` may be True or False too. Timers are deleted before
    others are set. Setting a timer twice sets it once; deleting a timer that is not set has no effect.

    Attributes
    ----------
    fire
        Whether the window fires. Null is false.
    purge
        Whether the contents of the window are dropped after the firing. Null is false.
    state
        The new state: a struct with the fields of the trigger's state. By default the state does not change.
    event_timer, processing_timer
        The time of a timer to set, or an array of times; null sets none. A timer at or before the watermark,
        or processing time, fires when that next advances.
    delete_event_timer, delete_processing_timer
        The time of a timer to delete, or an array of times.

    Examples
    --------
    >>> Answer(fire="element.price > 100", event_timer="window.last")
    Answer(fire='element.price > 100', event_timer='window.last')
    """

    _factory: ClassVar[str] = ""

    fire: str | bool | Column | None = None
    purge: str | bool | Column | None = None
    state: str | Column | None = None
    event_timer: str | Column | None = None
    processing_timer: str | Column | None = None
    delete_event_timer: str | Column | None = None
    delete_processing_timer: str | Column | None = None

    def __post_init__(self) -> None:
        """Check the arguments."""
        for name, value in self._given().items():
            if not (name in {"fire", "purge"} and isinstance(value, bool)):
                expression("Answer", name, value)

    def _scala(self) -> ScalaCall:
        made = {
            name: Expression(f"Answer: {name}", str(value).lower() if isinstance(value, bool) else value)
            for name, value in self._given().items()
        }
        return ScalaCall(
            f"{_PACKAGE}.TriggerAnswer", "of", tuple(made.get(field.name) for field in fields(self))
        )


class ColumnTrigger(ExpressionPart, Trigger):
    """Trigger written as columns, which run in the JVM. Build it with `when` or `of`.

    Examples
    --------
    >>> ColumnTrigger.when("price > 100")
    ColumnTrigger.when('price > 100')
    """

    def __init__(self, *_arguments: object, **_named: object) -> None:
        """Refuse the direct call: it would not say which of the two is meant."""
        raise TypeError(
            'write sw.ColumnTrigger.when("price > 100"), or '
            'sw.ColumnTrigger.of(on_element=sw.Answer(fire="element.price > 100"))'
        )

    @classmethod
    def when(cls, column: str | Column) -> ColumnTrigger:
        """Make a trigger that fires at each row where a column is true.

        Parameters
        ----------
        column
            A boolean expression over a row of the input: SQL text or a Column. Null is false.

        Returns
        -------
        ColumnTrigger
            For `WindowedStream.trigger`.

        Raises
        ------
        TypeError
            If it is neither.
        """
        return _When(column)

    @classmethod
    def of(
        cls,
        *,
        state: str | Column | Callable[[], Column] | None = None,
        on_element: Answer | Callable[..., Answer] | None = None,
        on_event_time: Answer | Callable[..., Answer] | None = None,
        on_processing_time: Answer | Callable[..., Answer] | None = None,
        on_merge: Answer | Callable[..., Answer] | None = None,
    ) -> ColumnTrigger:
        """Make a trigger from its answers to rows and timers, with its own state and timers.

        An answer is an `Answer` whose texts name columns, or a function that takes columns *by the names of
        its parameters* and returns an `Answer`. The function is called when the query is declared. All
        answers can use ``window`` (a struct of ``start``, ``end`` and ``last``, its last millisecond, the
        time for a timer at the end; null for the global window), the ``watermark`` and the
        ``processing_time`` (each null before the first), and, except `on_merge`, the ``state``. State and
        timers are deleted with the window.

        Parameters
        ----------
        state
            The initial state of a window: a struct of constants. Its fields are widened without loss to the
            types that the answers give.
        on_element
            Answer to a row. It can also use ``element``, a struct of the input's columns, and its
            ``timestamp``.
        on_event_time
            Answer to an event-time timer of the trigger. It can also use the timer's ``time``. The clean-up
            timer of an event-time window is answered too, with ``is_last`` true.
        on_processing_time
            Answer to a processing-time timer, likewise.
        on_merge
            Answer to the merge of sessions into ``window``: gives the new state, from ``states``, the array
            of the old ones, and sets timers. It cannot fire or purge. Without it the trigger cannot be used
            on sessions.

        Returns
        -------
        ColumnTrigger
            For ``trigger``.

        Raises
        ------
        TypeError
            If an answer is neither an `Answer` nor a function of these names that returns one.
        ValueError
            If there is no answer, or an expression is refused, when the query is declared.

        Examples
        --------
        Fire at an urgent row, or at the next full minute of processing time:

        >>> minute = "date_trunc('minute', processing_time) + interval 1 minute"
        >>> ColumnTrigger.of(
        ...     on_element=Answer(fire="element.urgent", processing_timer=minute),
        ...     on_processing_time=Answer(fire=True),
        ... )  # doctest: +ELLIPSIS
        ColumnTrigger.of(on_element=Answer(fire='element.urgent', ...), on_processing_time=Answer(fire=True))
        """
        return _Answering(state, on_element, on_event_time, on_processing_time, on_merge)

    @property
    def _owner(self) -> str:
        return "ColumnTrigger"


@dataclass(frozen=True, repr=False, eq=False)
class _When(ColumnTrigger):
    _factory: ClassVar[str] = "when"

    column: Any

    def __post_init__(self) -> None:
        expression("ColumnTrigger", "column", self.column)

    def _scala(self) -> ScalaCall:
        made = Expression("ColumnTrigger: column", self.column)
        return ScalaCall(f"{_PACKAGE}.ColumnTrigger", "when", (made,))


@dataclass(frozen=True, repr=False, eq=False)
class _Answering(ColumnTrigger):
    state: Any = None
    on_element: Any = None
    on_event_time: Any = None
    on_processing_time: Any = None
    on_merge: Any = None

    def __post_init__(self) -> None:
        if self.state is not None:
            function("ColumnTrigger", "state", self.state)
        given = {name: getattr(self, name) for name in _COLUMNS if getattr(self, name) is not None}
        if not given.keys() - {"on_merge"}:
            raise ValueError(
                'ColumnTrigger.of has no answer: on_element=sw.Answer(fire="element.alert"), say'
            )
        for name, value in given.items():
            if isinstance(value, Answer):
                continue
            if not callable(value):
                raise TypeError(
                    f"ColumnTrigger: {name} must be an Answer or a function of Columns, got {value!r}"
                )
            _check_names(name, value, has_state=self.state is not None)

    def _scala(self) -> ScalaCall:
        state = None if self.state is None else Expression("ColumnTrigger: state", self.state)
        answers = (_answer(name, getattr(self, name)) for name in _COLUMNS)
        return ScalaCall(f"{_PACKAGE}.ColumnTrigger", "of", (state, *answers))


def _check_names(name: str, function: Callable[..., Answer], *, has_state: bool) -> None:
    wanted = check_names("ColumnTrigger", name, function, _COLUMNS[name])
    if not has_state and (state := wanted.keys() & {"state", "states"}):
        raise ValueError(
            f"ColumnTrigger: {name} takes {state.pop()}, and the trigger has none: add state=, a struct of "
            "constants"
        )


def _answer(name: str, value: Answer | Callable[..., Answer] | None) -> Answer | None:
    if value is None or isinstance(value, Answer):
        return value
    made = called_by_name(f"ColumnTrigger: {name}", value)
    if not isinstance(made, Answer):
        raise TypeError(f"ColumnTrigger: {name} must return an Answer, sw.Answer(fire=..), got {made!r}")
    return made
