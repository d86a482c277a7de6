"""The results as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def print_hours(firings: DataFrame) -> None:
    """Print the hours with the longest delays, and those that late flights changed most.

    A result is one row a firing. An hour that fired again has several rows: the one that counted most flights
    is the last.
    """
    hours = firings.groupBy("origin", "window").agg(
        F.count("*").alias("firings"),
        F.min("departures").alias("departures_at_first"),
        F.max("departures").alias("departures"),
        F.max_by("mean_delay", "departures").alias("mean_delay"),
    )
    again = hours.where("firings > 1")
    shown: list[str | Column] = [
        "origin",
        moment("window.start", "hour"),
        "departures_at_first",
        "departures",
        rounded("mean_delay"),
    ]
    print(f"\nDepartures by airport and hour (UTC): {hours.count():,} windows, the longest mean delays")
    hours.where("departures >= 20").orderBy(F.desc("mean_delay"), "origin").select(*shown).show(5)
    print(f"{again.count():,} of them fired again for late flights, the most changed")
    again.orderBy(F.desc("firings"), "origin").select(*shown, "firings").show(5)


def print_late(late: DataFrame) -> None:
    """Print how many rows no window took, and why."""
    print("Rows that no window took")
    hours_late = F.max("late_by_ms") / 3_600_000
    by_reason = late.groupBy("late_reason").agg(
        F.count("*").alias("rows"), F.round(hours_late, 1).alias("hours_behind_watermark_at_most")
    )
    by_reason.orderBy("late_reason").show()


def print_stretches(stretches: DataFrame) -> None:
    """Print the aircraft that left most often without a break of twelve hours."""
    print(f"Working stretches of aircraft (UTC): {stretches.count():,} sessions, the most flights")
    stretches.orderBy(F.desc("flights"), "tailnum").select(
        "tailnum", moment("window.start", "from"), moment("window.end", "to"), "flights", "delay"
    ).show(5)


def print_carriers(firings: DataFrame) -> None:
    """Print the worst hundred flights in a row of each carrier, of those of which most departed."""
    print(f"The last 100 flights of each carrier, every 10: {firings.count():,} firings, the worst of each")
    full = firings.where("flights = 100 and cancelled < 50")
    worst = full.groupBy("carrier").agg(
        F.max_by(F.struct("mean_delay", "cancelled", "until"), "mean_delay").alias("worst")
    )
    worst.orderBy(F.desc("worst.mean_delay")).select(
        "carrier", rounded("worst.mean_delay"), "worst.cancelled", moment("worst.until", "until")
    ).show()


def moment(column: str, name: str) -> Column:
    """Format a time of 2013."""
    return F.date_format(column, "dd MMM HH:mm").alias(name)


def rounded(column: str) -> Column:
    """Round minutes to one digit."""
    return F.round(column, 1).alias(column.rpartition(".")[2])
