"""Watermark strategies: event times and watermarks of rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from spark_windowing._builders.arguments import function
from spark_windowing._builders.durations import ZERO, Duration, brief, duration
from spark_windowing._builders.part import (
    Expression,
    ExpressionPart,
    ScalaCall,
    camel_case,
    set_field,
    show_value,
)
from spark_windowing._gateway.setup import gateway_of
from spark_windowing._streams.rows import as_column, check_column

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta

    from pyspark.sql import Column, DataFrame

    Written = str | Column | Callable[[], Column]

_Kind = Literal[
    "for_monotonous_timestamps",
    "for_bounded_out_of_orderness",
    "for_generator",
    "no_watermarks",
    "ingestion_time",
]


@dataclass(frozen=True, repr=False, eq=False)
class WatermarkStrategy(ExpressionPart):
    """Source of event times and watermarks, for `assign_timestamps_and_watermarks` and `simulate`.

    Made by `for_bounded_out_of_orderness` (the usual one), `for_monotonous_timestamps`, `for_generator`,
    `no_watermarks` or `ingestion_time`; the ``with_`` methods return a new one.

    The attributes are `kind`, the name of the class method that made it, `argument`, its out-of-orderness or
    expression, and what the ``with_`` methods have set: `timestamp_assigner`, `idleness` with
    `bounded_by_clock`, `max_ahead_of_clock`; None for what is not set, and True for `bounded_by_clock`.
    A ``with_`` method returns a new strategy.

    Examples
    --------
    >>> WatermarkStrategy.for_bounded_out_of_orderness("5 seconds").with_timestamp_assigner("timestamp(at)")
    WatermarkStrategy.for_bounded_out_of_orderness("5 seconds").with_timestamp_assigner('timestamp(at)')
    """

    _package: ClassVar[str] = "dev.sparkwindowing.watermarks"

    kind: _Kind
    argument: Any = None
    timestamp_assigner: Any = None
    idleness: timedelta | None = None
    bounded_by_clock: bool = True
    max_ahead_of_clock: timedelta | None = None

    def __post_init__(self) -> None:
        """Check the arguments, however the value was made."""
        if self.kind == "for_bounded_out_of_orderness":
            set_field(self, "argument", _not_negative("out-of-orderness", self.argument))
        elif self.kind == "for_generator":
            function("WatermarkStrategy", "column", self.argument)
        if self.timestamp_assigner is not None:
            function("WatermarkStrategy", "timestamp assigner", self.timestamp_assigner)
            if self.kind == "ingestion_time":
                raise ValueError(
                    "ingestion time stamps rows with processing time and takes no timestamp assigner: use "
                    "for_bounded_out_of_orderness for event times of your own"
                )
        if self.idleness is not None:
            timeout = duration("idle timeout", self.idleness)
            if timeout <= ZERO:
                raise ValueError(f"idle timeout must be positive, got {brief(timeout)}")
            set_field(self, "idleness", timeout)
        if not isinstance(self.bounded_by_clock, bool):
            raise TypeError(f"bounded_by_clock must be True or False, got {self.bounded_by_clock!r}")
        if self.max_ahead_of_clock is not None:
            allowance = _not_negative("max ahead of clock", self.max_ahead_of_clock)
            set_field(self, "max_ahead_of_clock", allowance)

    @classmethod
    def for_monotonous_timestamps(cls) -> WatermarkStrategy:
        """Expect event times in ascending order: the watermark is the highest so far.

        Returns
        -------
        WatermarkStrategy
            For `assign_timestamps_and_watermarks` and `simulate`.
        """
        return cls("for_monotonous_timestamps")

    @classmethod
    def for_bounded_out_of_orderness(cls, out_of_orderness: Duration) -> WatermarkStrategy:
        """Expect rows at most this far behind the highest event time.

        Parameters
        ----------
        out_of_orderness
            Time behind the highest event time; not negative.

        Returns
        -------
        WatermarkStrategy
            For `assign_timestamps_and_watermarks` and `simulate`.

        Raises
        ------
        TypeError, ValueError
            If it is no duration, or negative.
        """
        return cls("for_bounded_out_of_orderness", out_of_orderness)

    @classmethod
    def for_generator(cls, column: Written) -> WatermarkStrategy:
        """Take watermarks from rows, such as markers that an input writes between its rows.

        Parameters
        ----------
        column
            The watermark of a row, a TIMESTAMP over its columns and its event time: no row at or before it is
            expected afterwards. Null for none. SQL text, a Column, or a function without arguments that
            returns one.

        Returns
        -------
        WatermarkStrategy
            For `assign_timestamps_and_watermarks` and `simulate`.

        Raises
        ------
        TypeError
            If it is none of these.

        Examples
        --------
        >>> WatermarkStrategy.for_generator("CASE WHEN kind = 'end of hour' THEN ts END")
        WatermarkStrategy.for_generator("CASE WHEN kind = 'end of hour' THEN ts END")
        """
        return cls("for_generator", column)

    @classmethod
    def no_watermarks(cls) -> WatermarkStrategy:
        """Emit no watermark: event-time windows stay open.

        Returns
        -------
        WatermarkStrategy
            For `assign_timestamps_and_watermarks` and `simulate`.
        """
        return cls("no_watermarks")

    @classmethod
    def ingestion_time(cls) -> WatermarkStrategy:
        """Take processing time as event time. No row is ever late, even if the wall clock goes back.

        Returns
        -------
        WatermarkStrategy
            For `assign_timestamps_and_watermarks` and `simulate`.
        """
        return cls("ingestion_time")

    def with_timestamp_assigner(self, column: Written) -> WatermarkStrategy:
        """Compute the event time of a row.

        Parameters
        ----------
        column
            A TIMESTAMP over the columns of a row: SQL text, a Column, or a function without arguments that
            returns one.

        Raises
        ------
        TypeError
            If it is none of these.
        ValueError
            For ingestion time, which takes none.
        """
        if column is None:
            raise TypeError("WatermarkStrategy: timestamp assigner must be SQL text or a Column, got None")
        return replace(self, timestamp_assigner=column)

    def with_idleness(self, timeout: Duration, *, bounded_by_clock: bool = True) -> WatermarkStrategy:
        """Mark an input without rows idle after a timeout: it no longer holds back the watermark.

        On a stream, an input is idle when its sources have found nothing new for the timeout. A backlog that
        is read slowly is not idle. The watermark of an idle input rises with processing time: it is the last
        one plus the idle time, and at most processing time minus timeout and out-of-orderness. If event times
        follow processing time, a window that ends at E fires at E plus timeout and out-of-orderness, or a
        step later. A step is a micro-batch without rows, one per tenth of the timeout (100 ms to 10 s). A row
        that comes afterwards is judged as any other.

        In the checkpoint it is one more source: a query cannot add it to, or take it from, the checkpoint of
        an earlier run. With ``trigger(availableNow=True)`` no input is idle. In `simulate`, an input is idle
        from a probe on.

        Parameters
        ----------
        timeout
            Time without rows, positive. In `simulate` from the first probe without a row.
        bounded_by_clock
            Whether, on a stream, the watermark of an idle input stays behind processing time. False if
            event times do not follow processing time, such as those of a replay.

        Raises
        ------
        TypeError, ValueError
            If it is no duration, or not positive; if `bounded_by_clock` is no bool.
        """
        timeout = duration("idle timeout", timeout)
        return replace(self, idleness=timeout, bounded_by_clock=bounded_by_clock)

    def with_max_ahead_of_clock(self, allowance: Duration) -> WatermarkStrategy:
        """Limit the watermark to processing time plus an allowance.

        Otherwise one row with a time in the far future makes all others late. Such a row keeps its event
        time, and its windows fire when the watermark reaches them.

        Parameters
        ----------
        allowance
            Allowed time of a row ahead of processing time; not negative.

        Raises
        ------
        TypeError, ValueError
            If it is no duration, or negative.
        """
        return replace(self, max_ahead_of_clock=duration("max ahead of clock", allowance))

    def __repr__(self) -> str:
        """Return the calls that make an equal value."""
        written = "" if self.argument is None else show_value(self.argument)
        calls = [f"WatermarkStrategy.{self.kind}({written})"]
        for name in ("timestamp_assigner", "idleness", "max_ahead_of_clock"):
            value = getattr(self, name)
            if value is not None:
                more = "" if name != "idleness" or self.bounded_by_clock else ", bounded_by_clock=False"
                calls.append(f"with_{name}({show_value(value)}{more})")
        return ".".join(calls)

    def _scala(self) -> ScalaCall:
        argument = self.argument
        if self.kind == "for_generator":
            argument = Expression("WatermarkStrategy: column", argument)
        args = () if argument is None else (argument,)
        return ScalaCall(f"{self._package}.WatermarkStrategy", camel_case(self.kind), args)

    def _document(self) -> dict[str, object]:
        document: dict[str, object] = {"made_by": self._scala()}
        if self.timestamp_assigner is not None:
            name = "WatermarkStrategy: timestamp assigner"
            document["timestamp_assigner"] = Expression(name, self.timestamp_assigner)
        if self.idleness is not None:
            document |= {"idleness": self.idleness, "bounded_by_clock": self.bounded_by_clock}
        if self.max_ahead_of_clock is not None:
            document["max_ahead_of_clock"] = self.max_ahead_of_clock
        return document


def assign_timestamps_and_watermarks(
    df: DataFrame,
    strategy: WatermarkStrategy,
    *,
    time: str | None = None,
    per_partition: str | Column | None = None,
) -> DataFrame:
    """Assign event times and, on a stream, watermarks to the rows of a DataFrame.

    Replaces ``withWatermark`` before `key_by`, which then needs no ``time``. Every row advances the
    watermark, even if a later filter drops it. In a union of inputs, each with its own strategy, the slowest
    input decides; an input without watermarks holds all back.

    Parameters
    ----------
    df
        The rows. A static DataFrame gets event times only.
    strategy
        The watermark strategy.
    time
        The event-time column of the result. Without a timestamp assigner it is required, the name of a
        TIMESTAMP column of `df`; with one, and for ingestion time, it is the name of the new column, by
        default ``"event_time"``.
    per_partition
        Column with the partition of a row, such as ``"partition"`` of Kafka's source for one topic. The
        watermark is then that of the slowest partition that has had a row and is not idle, so that one that
        lags behind the others loses no rows. By default the highest event time of all rows decides.

    Returns
    -------
    DataFrame
        The rows, with the event time.

    Raises
    ------
    TypeError
        If `strategy` is no strategy.
    ValueError
        If the column is missing or already exists, an expression is no TIMESTAMP, the stream already has a
        watermark, idleness cannot work on it, or `per_partition` is given for a strategy whose watermark does
        not come from rows.

    Examples
    --------
    >>> strategy = sw.WatermarkStrategy.for_bounded_out_of_orderness("5 seconds")
    >>> events = sw.assign_timestamps_and_watermarks(clicks, strategy, time="ts")
    >>> result = sw.key_by(events, "user").time_window("10 seconds").aggregate(F.count("*").alias("n"))
    >>> result.columns
    ['user', 'window', 'n']
    """
    checked(strategy)
    if time is not None and not isinstance(time, str):
        raise TypeError(f"time must be the name of the event-time column, got {time!r}")
    if per_partition is not None:
        check_column("per_partition", per_partition)
    return gateway_of(df).frame(
        "assign_timestamps_and_watermarks",
        rows=df,
        strategy=strategy,
        time=time,
        per_partition=None if per_partition is None else as_column(per_partition),
    )


def checked(strategy: object) -> None:
    """Raise TypeError unless the value is a strategy."""
    if not isinstance(strategy, WatermarkStrategy):
        raise TypeError(
            "a watermark strategy is made by WatermarkStrategy, such as "
            f'WatermarkStrategy.for_bounded_out_of_orderness("5 seconds"), got {strategy!r}'
        )


def _not_negative(name: str, value: object) -> timedelta:
    length = duration(name, value)
    if length < ZERO:
        raise ValueError(f"{name} must not be negative, got {brief(length)}")
    return length
