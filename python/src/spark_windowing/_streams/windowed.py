"""Windows of a stream: when they fire, what leaves them, how late a row may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_windowing._builders.durations import Duration, duration
from spark_windowing._builders.evictors import Evictor
from spark_windowing._builders.triggers import Trigger, check_trigger
from spark_windowing._gateway.guidance import missing_aggregate, query_trigger
from spark_windowing._streams.computations import Computations

if TYPE_CHECKING:
    from typing import NoReturn


class WindowedStream(Computations):
    """A keyed DataFrame with its window. Every call returns a new value; `aggregate` makes the result.

    Examples
    --------
    >>> sw.key_by(clicks, "user", time="ts").time_window("10 seconds").allowed_lateness("1 hour")
    key_by(df, 'user', time='ts').time_window('10 seconds').allowed_lateness('1 hour')
    """

    def trigger(self, trigger: Trigger | None = None, **query_settings: object) -> WindowedStream:
        """Say when a window fires, in place of the assigner's default.

        Parameters
        ----------
        trigger
            A window trigger such as ``PurgingTrigger.of(CountTrigger.of(100))``.
        **query_settings
            None are taken: ``processingTime=..`` belongs to ``writeStream.trigger``.

        Returns
        -------
        WindowedStream
            A new one.

        Raises
        ------
        TypeError
            If it is no window trigger.
        ValueError
            If the trigger does not go with the window: one that cannot merge on sessions, say.

        Examples
        --------
        >>> result = windows.trigger(sw.CountTrigger.of(2)).aggregate(F.sum("price").alias("spent"))
        >>> [(row.user, row.spent) for row in result.collect()]  # only one window has two clicks
        [('a', 7)]
        """
        if query_settings:
            raise TypeError(query_trigger(query_settings))
        check_trigger("trigger", trigger)
        return self._with(f"trigger({trigger!r})", "trigger", self._gateway.make(trigger))  # type: ignore[arg-type]

    def evictor(self, evictor: Evictor) -> WindowedStream:
        """Say which elements leave a window when it fires. All elements are kept in the state then.

        Parameters
        ----------
        evictor
            An evictor such as ``CountEvictor.of(100)``.

        Returns
        -------
        WindowedStream
            A new one.

        Raises
        ------
        TypeError
            If it is no evictor.

        Examples
        --------
        >>> last = windows.evictor(sw.CountEvictor.of(1)).aggregate(F.first("price").alias("last"))
        >>> [(row.user, row.last) for row in last.orderBy("window", "user").collect()]
        [('a', 4), ('b', 7), ('a', 5)]
        """
        if not isinstance(evictor, Evictor):
            raise TypeError(f"evictor takes an evictor such as CountEvictor.of(100), got {evictor!r}")
        return self._with(f"evictor({evictor!r})", "evictor", self._gateway.make(evictor))

    def allowed_lateness(self, lateness: Duration) -> WindowedStream:
        """Keep event-time windows for a while behind the watermark; each late row then fires again.

        Parameters
        ----------
        lateness
            How long, not negative; 0 by default. Without effect on other windows.

        Returns
        -------
        WindowedStream
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
        value = self._gateway.duration(duration("allowed lateness", lateness))
        return self._with(f"allowed_lateness({lateness!r})", "allowedLateness", value)

    def side_output_late_data(self, tag: str) -> WindowedStream:
        """Keep the rows that come too late for all their windows, for `side_output`.

        Parameters
        ----------
        tag
            The name of the side output.

        Returns
        -------
        WindowedStream
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
        return self._with(f"side_output_late_data({tag!r})", "sideOutputLateData", tag)

    def with_pane(self) -> WindowedStream:
        """Add a column ``pane`` behind ``window``: which firing of its window a row is.

        A struct of ``timing`` (``early`` before the watermark has passed the window's end, ``on_time`` for
        the first firing at or behind it, ``late`` for every further one; always ``on_time`` for count windows
        and windows of the clock), ``index`` (the number of earlier firings; a merged session counts those of
        the sessions in it), ``is_last`` (the window is cleaned up by the timer that fired it), ``fired_at``
        (the clock of the micro-batch; null where it stands still) and ``replaced`` (an array of windows: the
        sessions that had fired and became part of this one since its last firing, for a sink to delete).

        Returns
        -------
        WindowedStream
            A new one. Firings are remembered with their window until it is cleaned up.

        Examples
        --------
        >>> result = windows.with_pane().aggregate(F.count("*").alias("clicks"))
        >>> result.select("user", "pane.timing", "pane.index").first()
        Row(user='a', timing='on_time', index=0)
        """
        return self._with("with_pane()", "withPane")

    def collapse_firings(self) -> WindowedStream:
        """Of several firings of a window in one micro-batch with equal contents put out the last only.

        A watermark that jumps an hour otherwise makes 3,600 equal rows of a trigger of one second.

        Returns
        -------
        WindowedStream
            A new one.

        Examples
        --------
        >>> often = windows.trigger(sw.ContinuousEventTimeTrigger.of("1 second"))
        >>> often.aggregate(F.count("*").alias("clicks")).count()
        24
        >>> often.collapse_firings().aggregate(F.count("*").alias("clicks")).count()
        3
        """
        return self._with("collapse_firings()", "collapseFirings")

    def allow_state_change(self) -> WindowedStream:
        """Let a changed query take over the state of its old checkpoint, where that is safe.

        Without it every change is refused, and so are these where they are mixed with others. Safe are a
        longer allowed lateness; another trigger without memory (`EventTimeTrigger`, `ProcessingTimeTrigger`,
        `NeverTrigger`, `PurgingTrigger` of these) in place of one; longer intervals of the continuous
        triggers and of `AfterWatermark`. Windows that were cleaned up do not come back: a row for one of them
        that is not late any more begins it anew.

        Returns
        -------
        WindowedStream
            A new one. For one start: take it away when the query has done a micro-batch.

        Examples
        --------
        >>> windows.allow_state_change()
        key_by(df, 'user', time='ts').time_window('10 seconds').allow_state_change()
        """
        return self._with("allow_state_change()", "allowStateChange")

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            """Say what to write in place of a grouped DataFrame's methods."""
            raise AttributeError(missing_aggregate(name))

    def _with(self, text: str, method: str, *values: object) -> WindowedStream:
        java = self._gateway.call(self._java, method, *values)
        return WindowedStream(self._gateway, java, f"{self._text}.{text}")
