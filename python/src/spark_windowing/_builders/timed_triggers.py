"""Triggers with intervals of event time or processing time."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, TypeVar

from spark_windowing._builders.arguments import truth
from spark_windowing._builders.durations import ZERO, Duration, brief, duration
from spark_windowing._builders.part import set_field
from spark_windowing._builders.triggers import Trigger, check_trigger

if TYPE_CHECKING:
    from datetime import timedelta

# ruff: noqa: PYI019  (not Self: Python 3.10 lacks it, and editors complete by a TypeVar)
Continuous = TypeVar("Continuous", bound="_Continuous")


def _set_positive(trigger: Trigger, name: str) -> None:
    value = duration(name, getattr(trigger, name))
    set_field(trigger, name, value)
    if value <= ZERO:
        raise ValueError(f"{type(trigger).__name__}: {name} must be positive, got {brief(value)}")


@dataclass(frozen=True, repr=False)
class _Continuous(Trigger):
    """Firings at each multiple of an interval by any clock."""

    interval: timedelta

    def __post_init__(self) -> None:
        _set_positive(self, "interval")

    @classmethod
    def of(cls: type[Continuous], interval: Duration) -> Continuous:
        """Make the trigger.

        Parameters
        ----------
        interval
            Time between firings, positive.

        Returns
        -------
        ContinuousEventTimeTrigger or ContinuousProcessingTimeTrigger
            For `WindowedStream.trigger`.

        Raises
        ------
        ValueError
            If it is not positive.
        """
        return cls(duration("interval", interval))


@dataclass(frozen=True, repr=False)
class ContinuousEventTimeTrigger(_Continuous):
    """Fires at each multiple of the interval in event time, at the end of the window, and at late elements.

    Each multiple that the watermark passes fires once. An extended session still fires at its old end.

    Build it with `of`. Its attribute is `interval`, a timedelta.

    Examples
    --------
    >>> ContinuousEventTimeTrigger.of("10 seconds")
    ContinuousEventTimeTrigger.of("10 seconds")
    """


@dataclass(frozen=True, repr=False)
class ContinuousProcessingTimeTrigger(_Continuous):
    """Fires at each multiple of the interval in processing time, up to the end of the window.

    On event-time windows the end is compared with processing time, and closing the window does not fire:
    use `AfterWatermark` for early results of event-time windows.

    Build it with `of`. Its attribute is `interval`, a timedelta.

    Examples
    --------
    >>> ContinuousProcessingTimeTrigger.of("10 seconds")
    ContinuousProcessingTimeTrigger.of("10 seconds")
    """


@dataclass(frozen=True, repr=False)
class ProcessingTimeoutTrigger(Trigger):
    """Fires when `nested` does, and after a timeout in processing time without a firing.

    Every timer of the window fires it, including the one that cleans the window up. Not for sessions.

    Build it with `of`, whose arguments are the attributes, durations as timedelta.

    Examples
    --------
    >>> ProcessingTimeoutTrigger.of(sw.CountTrigger.of(100), "1 minute")
    ProcessingTimeoutTrigger.of(CountTrigger.of(100), "1 minute")
    """

    nested: Trigger
    timeout: timedelta
    _: KW_ONLY
    reset_timer_on_new_record: bool = False
    should_clear_on_timeout: bool = True

    def __post_init__(self) -> None:
        """Check the arguments, however the value was made."""
        check_trigger("ProcessingTimeoutTrigger: nested", self.nested)
        _set_positive(self, "timeout")
        for name in ("reset_timer_on_new_record", "should_clear_on_timeout"):
            truth("ProcessingTimeoutTrigger", name, getattr(self, name))

    @classmethod
    def of(
        cls,
        nested: Trigger,
        timeout: Duration,
        *,
        reset_timer_on_new_record: bool = False,
        should_clear_on_timeout: bool = True,
    ) -> ProcessingTimeoutTrigger:
        """Make the trigger.

        Parameters
        ----------
        nested
            The window trigger that fires before the timeout.
        timeout
            Processing time without a firing, positive.
        reset_timer_on_new_record
            Whether each element restarts the timeout.
        should_clear_on_timeout
            Whether a timeout clears the state of the nested trigger.

        Returns
        -------
        ProcessingTimeoutTrigger
            For `WindowedStream.trigger`.

        Raises
        ------
        TypeError
            If `nested` is no window trigger.
        ValueError
            If the timeout is not positive.
        """
        return cls(
            nested,
            duration("timeout", timeout),
            reset_timer_on_new_record=reset_timer_on_new_record,
            should_clear_on_timeout=should_clear_on_timeout,
        )


@dataclass(frozen=True, repr=False)
class AfterWatermark(Trigger):
    """Fires when the watermark passes the end of a window, and as chosen before and after it.

    Intervals are processing time; ``"micro-batch"`` is once a micro-batch, as `MicroBatchTrigger` does; any
    window trigger can stand in their place.
    Typical of dashboards: early results while elements arrive, one on time, then results for late elements.
    No element is lost, and at intervals a window without new elements does not fire.

    Build it with `of`, whose arguments are the attributes, durations as timedelta.

    Examples
    --------
    >>> AfterWatermark.of(early="30 seconds")
    AfterWatermark.of(early="30 seconds")
    >>> AfterWatermark.of(early="micro-batch", late="micro-batch")
    AfterWatermark.of(early='micro-batch', late='micro-batch')
    >>> AfterWatermark.of(early=sw.CountTrigger.of(100), late="1 minute")
    AfterWatermark.of(early=CountTrigger.of(100), late="1 minute")
    """

    _: KW_ONLY
    early: Duration | Trigger | None = None
    late: Duration | Trigger | None = None

    def __post_init__(self) -> None:
        """Check the arguments, however the value was made."""
        for name in ("early", "late"):
            value = getattr(self, name)
            if value not in (None, "micro-batch") and not isinstance(value, Trigger):
                _set_positive(self, name)

    @classmethod
    def of(
        cls, *, early: Duration | Trigger | None = None, late: Duration | Trigger | None = None
    ) -> AfterWatermark:
        """Make the trigger.

        Parameters
        ----------
        early
            Processing time between firings before the end of the window, at multiples of it,
            ``"micro-batch"``, or the window trigger that decides; None for no early firings.
        late
            Processing time between firings for late elements, at multiples of it, ``"micro-batch"``, or the
            window trigger that decides; None for a firing at each late element.

        Returns
        -------
        AfterWatermark
            For `WindowedStream.trigger`.

        Raises
        ------
        ValueError
            If a duration is not positive.
        """
        return cls(early=early, late=late)
