"""Trigger, evictor, lateness and outputs of windows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from spark_windowing._builders.durations import Duration, duration
from spark_windowing._builders.evictors import Evictor
from spark_windowing._builders.triggers import Trigger, check_trigger
from spark_windowing._gateway.guidance import query_trigger
from spark_windowing._streams.declaration import Declaration, Result

# ruff: noqa: PYI019  (not Self: Python 3.10 lacks it, and editors complete by a TypeVar)
Settings = TypeVar("Settings", bound="WindowSettings[Any]")


class WindowSettings(Declaration[Result]):
    """Settings of windows: each call returns a new value, and their order does not matter."""

    def trigger(self: Settings, trigger: Trigger | None = None, **query_settings: object) -> Settings:
        """Set the trigger, in place of the assigner's default.

        Parameters
        ----------
        trigger
            A window trigger such as ``PurgingTrigger.of(CountTrigger.of(100))``.
        **query_settings
            Refused: ``processingTime=..`` belongs to ``writeStream.trigger``.

        Returns
        -------
        WindowedStream or JoinedWindows
            A new one.

        Raises
        ------
        TypeError
            If `trigger` is no window trigger.
        ValueError
            If the trigger does not support the window: for instance, one that cannot merge, on sessions.

        Examples
        --------
        >>> result = windows.trigger(sw.CountTrigger.of(2)).aggregate(F.sum("price").alias("spent"))
        >>> [(row.user, row.spent) for row in result.collect()]  # only one window has two clicks
        [('a', 7)]
        """
        if query_settings:
            raise TypeError(query_trigger(query_settings))
        check_trigger("trigger", trigger)
        return self._with(trigger=trigger)

    def evictor(self: Settings, evictor: Evictor) -> Settings:
        """Set the evictor, which removes elements when a window fires. All elements are then stored.

        Parameters
        ----------
        evictor
            An evictor such as ``CountEvictor.of(100)``.

        Returns
        -------
        WindowedStream or JoinedWindows
            A new one.

        Raises
        ------
        TypeError
            If `evictor` is no evictor.

        Examples
        --------
        >>> last = windows.evictor(sw.CountEvictor.of(1)).aggregate(F.first("price").alias("last"))
        >>> [(row.user, row.last) for row in last.orderBy("window", "user").collect()]
        [('a', 4), ('b', 7), ('a', 5)]
        """
        if not isinstance(evictor, Evictor):
            raise TypeError(f"evictor takes an evictor such as CountEvictor.of(100), got {evictor!r}")
        return self._with(evictor=evictor)

    def allowed_lateness(self: Settings, lateness: Duration) -> Settings:
        """Keep event-time windows for some time after the watermark; each late row then fires again.

        Parameters
        ----------
        lateness
            Time to keep them, not negative; 0 by default. No effect on other windows.

        Returns
        -------
        WindowedStream or JoinedWindows
            A new one.

        Raises
        ------
        ValueError
            If it is negative.

        Examples
        --------
        >>> windows.allowed_lateness("1 hour")
        key_by(df, 'user', time='ts').time_window('10 seconds').allowed_lateness('1 hour')
        """
        return self._with(allowed_lateness=duration("allowed lateness", lateness))

    def side_output_late_data(self: Settings, tag: str) -> Settings:
        """Send rows that are too late for all their windows to a side output, for `side_output`.

        Parameters
        ----------
        tag
            The name of the side output.

        Returns
        -------
        WindowedStream or JoinedWindows
            A new one.

        Raises
        ------
        TypeError
            If it is no text.
        ValueError
            If it is empty.

        Examples
        --------
        >>> result = windows.side_output_late_data("late").aggregate(F.count("*").alias("clicks"))
        >>> sw.side_output(result, "late").columns
        ['user', 'price', 'ts', 'late_by_ms', 'missed_window', 'late_reason']
        """
        if not isinstance(tag, str):
            raise TypeError(f"side_output_late_data takes a name, got {tag!r}")
        return self._with(side_output_late_data=tag)

    def with_pane(self: Settings) -> Settings:
        """Add a column ``pane`` after ``window`` that describes the firing.

        A struct of ``timing`` (``early`` before the watermark passes the window's end, ``on_time`` for the
        firing at that moment, ``late`` for every other one from then on, which a late row causes; always
        ``on_time`` for count windows and processing-time windows), ``number`` (the number of earlier firings;
        a merged session counts those of the sessions in it), ``is_last`` (the timer that fired the window
        also cleans it up), ``fired_at`` (processing time; null where it does not advance) and ``replaced``
        (an array of windows: the sessions that had fired and were merged into this one since its last
        firing, for a sink to delete).

        Returns
        -------
        WindowedStream or JoinedWindows
            A new one. The state counts the firings of a window until it is cleaned up.

        Examples
        --------
        >>> result = windows.with_pane().aggregate(F.count("*").alias("clicks"))
        >>> result.select("user", "pane.timing", "pane.number").first()
        Row(user='a', timing='on_time', number=0)
        """
        return self._with(with_pane=True)

    def collapse_firings(self: Settings) -> Settings:
        """Emit only the last of several firings of a window with equal contents in one micro-batch.

        Otherwise a watermark that advances by an hour makes a trigger of one second emit 3,600 equal rows.

        Returns
        -------
        WindowedStream or JoinedWindows
            A new one.

        Examples
        --------
        >>> often = windows.trigger(sw.ContinuousEventTimeTrigger.of("1 second"))
        >>> often.aggregate(F.count("*").alias("clicks")).count()
        24
        >>> often.collapse_firings().aggregate(F.count("*").alias("clicks")).count()
        3
        """
        return self._with(collapse_firings=True)

    def allow_state_change(self: Settings) -> Settings:
        """Let a changed query restart from its checkpoint if the change is safe.

        By default every change is refused. Safe changes, unless mixed with others, are a longer allowed
        lateness; another trigger, if both are `EventTimeTrigger`, `ProcessingTimeTrigger`, `NeverTrigger`,
        `CountTrigger`, `MicroBatchTrigger`, a continuous trigger, `AfterWatermark` without ``late``, or
        `PurgingTrigger` of these; another gap of sessions; ``with_pane``; other functions of rows that are
        kept. The page on the state format says what each does to open windows. Windows that were cleaned up
        are not restored: a row of such a window that is no longer late opens an empty one.

        Returns
        -------
        WindowedStream or JoinedWindows
            A new one. For one start: remove it after the first micro-batch.

        Examples
        --------
        >>> windows.allow_state_change()
        key_by(df, 'user', time='ts').time_window('10 seconds').allow_state_change()
        """
        return self._with(allow_state_change=True)

    def _with(self: Settings, **changes: object) -> Settings:
        before: Any = self._windows
        return replace(self, _windows=replace(before, **changes))._checked()
