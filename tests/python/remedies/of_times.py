"""Times without a time zone, and where they need one or must have none."""

from pyspark.sql import functions as F

import spark_windowing as sw
from remedies.case import BOTH, Remedy, count, simulated, total, values


def walls(frame):
    return frame.withColumn("ts", F.col("ts").cast("timestamp_ntz"))


def cast(frame):
    """Type what the errors say."""
    return frame.withColumn("ts", F.col("ts").cast("timestamp"))


def days(frame):
    return sw.key_by(frame, "user", time="ts").window(sw.CalendarWindows.days(time_zone="Europe/Berlin"))


def fired_by(d, timer):
    """Fire windows of a day at a timer of the first row."""
    trigger = sw.ColumnTrigger.of(
        on_element=sw.Answer(event_timer=timer), on_event_time=sw.Answer(fire="NOT is_last")
    )
    day = sw.TumblingEventTimeWindows.of("1 day")
    return total(sw.key_by(walls(d.clicks), "user", time="ts").window(day).trigger(trigger))


def processed(d, timer):
    function = sw.ColumnProcess.of(
        on_element=sw.Do(event_timer=timer), on_event_timer=sw.Do(emit="struct(string(time) AS at)")
    )
    return values(sw.key_by(walls(d.clicks), "user", time="ts").process(function), "at")


def assigned(d, windows):
    frame = walls(d.clicks).withColumn("windows", windows)
    return total(sw.key_by(frame, "user", time="ts").window(sw.ColumnAssigner.of("windows")))


def one_window():
    return F.array(F.struct(F.timestamp_seconds(F.lit(0)), F.timestamp_seconds(F.lit(9))))


SAID = r'df\.withColumn\("ts", F\.col\("ts"\)\.cast\("timestamp"\)\)'

CASES = [
    Remedy(
        "a time zone for days of times without one",
        {"EventTimeColumn.scala": "df.withColumn( F.col("},
        lambda d: total(days(walls(d.clicks))),
        rf"is a TIMESTAMP_NTZ, which has none: take time_zone away, or cast it, {SAID}",
        lambda d: total(days(cast(walls(d.clicks)))),
        BOTH,
    ),
    Remedy(
        "a simulation of times without a zone",
        {"Simulation.scala": "df.withColumn( F.col("},
        lambda d: simulated(count(d.windows(walls(d.clicks))), "n"),
        rf"'ts' is a TIMESTAMP_NTZ: cast it before key_by, {SAID}",
        lambda d: simulated(count(d.windows(cast(walls(d.clicks)))), "n"),
        [(2,)],
    ),
    Remedy(
        "a stream with times without a zone",
        {},
        lambda d: count(d.windows(walls(d.stream))),
        rf"{SAID}, before withWatermark",
        lambda d: simulated(count(d.windows(cast(walls(d.stream)).withWatermark("ts", "10 seconds"))), "n"),
        [(2,)],
    ),
    Remedy(
        "a stream without a watermark, with times without a zone",
        {"WatermarkAdvice.scala": "F.col( df.withColumn("},
        lambda d: count(sw.key_by(walls(d.stream), "user").time_window("10 seconds")),
        rf'{SAID}\.withWatermark\("ts", "10 seconds"\) before key_by',
        lambda d: simulated(
            count(
                sw.key_by(cast(walls(d.stream)).withWatermark("ts", "10 seconds"), "user").time_window(
                    "10 seconds"
                )
            ),
            "n",
        ),
        [(2,)],
    ),
    Remedy(
        "a timer of a trigger with a zone",
        {"BoundAnswers.scala": "F.expr("},
        lambda d: fired_by(d, F.expr("CAST(timestamp AS TIMESTAMP)")),
        r'must be a TIMESTAMP_NTZ .* F\.expr\("CAST\(`?timestamp`? AS TIMESTAMP\)"\)\.cast\("timestamp_ntz"\)',
        lambda d: fired_by(d, F.expr("CAST(timestamp AS TIMESTAMP)").cast("timestamp_ntz"))[-1:],
        BOTH[:1],
    ),
    Remedy(
        "a timer of a process with a zone",
        {"ProcessColumns.scala": "F.expr("},
        lambda d: processed(d, F.expr("CAST(row.ts AS TIMESTAMP)")),
        r'must be a TIMESTAMP_NTZ.*\.cast\("timestamp_ntz"\)',
        lambda d: processed(d, F.expr("CAST(row.ts AS TIMESTAMP)").cast("timestamp_ntz")),
        [("1970-01-01 00:00:02",), ("1970-01-01 00:00:04",)],
    ),
    Remedy(
        "windows of a column with a zone",
        {"ColumnAssigner.scala": "F.expr("},
        lambda d: assigned(d, one_window()),
        r'F\.expr\("windows"\)\.cast\("array<struct<start:timestamp_ntz,end:timestamp_ntz>>"\)',
        lambda d: assigned(d, one_window().cast("array<struct<start:timestamp_ntz,end:timestamp_ntz>>")),
        BOTH,
    ),
]
