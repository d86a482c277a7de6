"""Windows of whole days, weeks, months, quarters and years."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from spark_windowing._builders.arguments import one_of, whole_number
from spark_windowing._builders.assigners import WindowAssigner
from spark_windowing._builders.part import ScalaCall, set_field

Unit = Literal["days", "weeks", "months", "quarters", "years"]

_EPOCH = date(1970, 1, 1)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MOST = 9999
_AS_DATE = "must be a date such as '2024-01-31' or date(2024, 1, 31)"
_LAST_OF_EVERY_MONTH = 28


@dataclass(frozen=True, repr=False)
class CalendarWindows(WindowAssigner):
    """Windows of whole days, weeks, months, quarters or years of a time zone, by event time.

    Build it with `days`, `weeks`, `months`, `quarters` or `years`. A window lasts from local midnight to
    local midnight: a day has 23 or 25 hours when the clocks change. Where a midnight does not exist, a
    window starts at the first instant of its day; where it comes twice, at the first.

    The attributes are `unit`, the name of the method, and its arguments; `first_day` is None for days,
    quarters and years, `time_zone` None for that of the session.

    Examples
    --------
    >>> CalendarWindows.days(time_zone="Europe/Berlin")
    CalendarWindows.days(time_zone='Europe/Berlin')
    """

    unit: Unit
    n: int = 1
    first_day: int | str | None = None
    time_zone: str | None = None
    starting: date = _EPOCH

    def __post_init__(self) -> None:
        one_of("unit", self.unit, Unit)
        owner = f"CalendarWindows.{self.unit}"
        if not 1 <= whole_number(owner, "n", self.n) <= _MOST:
            raise ValueError(f"{owner}: n must be from 1 to {_MOST}, got {self.n}")
        set_field(self, "first_day", _first_day(owner, self.unit, self.first_day))
        if self.time_zone is not None and not isinstance(self.time_zone, str):
            raise TypeError(
                f"{owner}: time_zone must be text such as 'Europe/Berlin', got {self.time_zone!r}"
            )
        set_field(self, "starting", _date(owner, self.starting))
        if self.unit in {"quarters", "years"} and self.starting.day > _LAST_OF_EVERY_MONTH:
            raise ValueError(
                f"{owner}: starting must be one of the first {_LAST_OF_EVERY_MONTH} days of its month, "
                f"got {self.starting}"
            )

    @classmethod
    def days(cls, n: int = 1, time_zone: str | None = None, starting: date | str = _EPOCH) -> CalendarWindows:
        """Make windows of `n` days.

        Parameters
        ----------
        n
            1 to 9999.
        time_zone
            A region such as ``"Europe/Berlin"``, or an offset such as ``"+02:00"``. Default:
            ``spark.sql.session.timeZone`` when the windows are declared; the only choice for an event time
            without a time zone (TIMESTAMP_NTZ), whose days are its own.
        starting
            Windows are counted from this day, a date or text such as ``"2024-01-31"``.

        Returns
        -------
        CalendarWindows
            For `KeyedStream.window`, which refuses an unknown time zone.

        Raises
        ------
        ValueError
            If `n` is out of its range or `starting` is no date.
        """
        return cls("days", n, None, time_zone, _date("CalendarWindows.days", starting))

    @classmethod
    def weeks(
        cls,
        n: int = 1,
        first_day: str = "monday",
        time_zone: str | None = None,
        starting: date | str = _EPOCH,
    ) -> CalendarWindows:
        """Make windows of `n` weeks.

        Parameters
        ----------
        n, time_zone
            As in `days`.
        first_day
            Day of the week on which a window starts: ``"monday"`` to ``"sunday"``.
        starting
            Windows are counted from the first such day on or after this one.

        Returns
        -------
        CalendarWindows
            For `KeyedStream.window`.

        Raises
        ------
        ValueError
            If `first_day` is no day of the week, or as for `days`.
        """
        return cls("weeks", n, first_day, time_zone, _date("CalendarWindows.weeks", starting))

    @classmethod
    def months(
        cls, n: int = 1, first_day: int = 1, time_zone: str | None = None, starting: date | str = _EPOCH
    ) -> CalendarWindows:
        """Make windows of `n` months.

        Parameters
        ----------
        n, time_zone
            As in `days`.
        first_day
            Day of the month on which a window starts, 1 to 28.
        starting
            Windows are counted from the first such day on or after this one.

        Returns
        -------
        CalendarWindows
            For `KeyedStream.window`.

        Raises
        ------
        ValueError
            If `first_day` is not from 1 to 28, or as for `days`.
        """
        return cls("months", n, first_day, time_zone, _date("CalendarWindows.months", starting))

    @classmethod
    def quarters(
        cls, n: int = 1, time_zone: str | None = None, starting: date | str = _EPOCH
    ) -> CalendarWindows:
        """Make windows of `n` times three months.

        Parameters
        ----------
        n, time_zone
            As in `days`.
        starting
            First day of a quarter, one of the first 28 days of its month.

        Returns
        -------
        CalendarWindows
            For `KeyedStream.window`.

        Raises
        ------
        ValueError
            If `starting` is a later day of its month, or as for `days`.
        """
        return cls("quarters", n, None, time_zone, _date("CalendarWindows.quarters", starting))

    @classmethod
    def years(
        cls, n: int = 1, time_zone: str | None = None, starting: date | str = _EPOCH
    ) -> CalendarWindows:
        """Make windows of `n` years.

        Parameters
        ----------
        n, time_zone
            As in `days`.
        starting
            First day of a year, one of the first 28 days of its month: ``"2024-04-01"`` for years that
            begin in April.

        Returns
        -------
        CalendarWindows
            For `KeyedStream.window`.

        Raises
        ------
        ValueError
            If `starting` is a later day of its month, or as for `days`.
        """
        return cls("years", n, None, time_zone, _date("CalendarWindows.years", starting))

    def _scala(self) -> ScalaCall:
        first_day = () if self.first_day is None else (self.first_day,)
        args = (
            self.n,
            *first_day,
            "session" if self.time_zone is None else self.time_zone,
            self.starting.isoformat(),
        )
        return ScalaCall(f"{self._package}.CalendarWindows", self.unit, args)

    def __repr__(self) -> str:
        """Return the call that makes an equal value."""
        default = _first_day(self.unit, self.unit, None)
        shown = {
            "n": (self.n, 1),
            "first_day": (self.first_day, default),
            "time_zone": (self.time_zone, None),
            "starting": (self.starting.isoformat(), _EPOCH.isoformat()),
        }
        given = [
            repr(value) if name == "n" else f"{name}={value!r}"
            for name, (value, usual) in shown.items()
            if value != usual
        ]
        return f"CalendarWindows.{self.unit}({', '.join(given)})"


def _first_day(owner: str, unit: Unit, value: object) -> int | str | None:
    """Check the first day of a week or a month; None stands for the default."""
    if unit == "weeks":
        day = _DAYS[0] if value is None else value
        if not isinstance(day, str) or day.lower() not in _DAYS:
            raise ValueError(f"{owner}: first_day must be one of {', '.join(map(repr, _DAYS))}, got {day!r}")
        return day.lower()
    if unit == "months":
        number = 1 if value is None else whole_number(owner, "first_day", value)
        if not 1 <= number <= _LAST_OF_EVERY_MONTH:
            raise ValueError(f"{owner}: first_day must be from 1 to {_LAST_OF_EVERY_MONTH}, got {number}")
        return number
    if value is not None:
        raise ValueError(f"{owner}: first_day is for weeks and months, got {value!r}")
    return None


def _date(owner: str, value: object) -> date:
    """Read a date, or text such as 2024-01-31."""
    if isinstance(value, str):
        try:
            return date.fromisoformat(value)
        except ValueError:
            raise ValueError(f"{owner}: starting {_AS_DATE}, got {value!r}") from None
    if not isinstance(value, date) or isinstance(value, datetime):
        raise TypeError(f"{owner}: starting {_AS_DATE}, got {value!r}")
    return value
