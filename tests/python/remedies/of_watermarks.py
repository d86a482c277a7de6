"""Watermarks of the input that are missing, elsewhere or lost."""

from pyspark.sql import functions as F

import spark_windowing as sw
from remedies.case import MONOTONOUS, Remedy, count, simulated

COLUMNS = ["user", "window", "n"]


def columns(result):
    """What shows that a declaration is complete."""
    return result.columns


def assigned_rows(df):
    return sw.assign_timestamps_and_watermarks(df, MONOTONOUS.with_max_ahead_of_clock("1 minute"), time="ts")


def hours(df):
    return df.withColumn("ts", F.date_trunc("hour", "ts"))


def without_windows(stream):
    query = stream.writeStream.format("noop").start()
    try:
        query.processAllAvailable()
    finally:
        query.stop()
    return query


def hourly(d):
    return (
        d.stream.withWatermark("ts", "1 second")
        .groupBy(F.window("ts", "1 hour"))
        .agg(F.count("*").alias("clicks"))
    )


CASES = [
    Remedy(
        "a time that the watermark is not on",
        {"WatermarkAdvice.scala": "df.withWatermark("},
        lambda d: count(
            d.windows(d.stream.withColumn("other", F.col("ts")).withWatermark("other", "1 second"), time="ts")
        ),
        r"take withWatermark on 'other' away, .* write df\.withWatermark\(\"ts\", \"10 seconds\"\)",
        lambda d: columns(
            count(d.windows(d.stream.withColumn("other", F.col("ts")).withWatermark("ts", "10 seconds")))
        ),
        COLUMNS,
    ),
    Remedy(
        "a time that is an expression, with the watermark elsewhere",
        {"WatermarkAdvice.scala": "F.expr( df.withColumn("},
        lambda d: count(
            d.windows(
                d.stream.withWatermark("ts", "1 second"), time=F.col("ts") + F.expr("INTERVAL 1 SECOND")
            )
        ),
        r"take withWatermark on 'ts' away, .* write "
        r"df\.withColumn\(\"event_time\", F\.expr\(\"(CAST\()?ts \+ INTERVAL '01' SECOND( AS TIMESTAMP\))?\"\)\)"
        r"\.withWatermark\(\"event_time\", \"10 seconds\"\)",
        lambda d: columns(
            count(
                d.windows(
                    d.stream.withColumn(
                        "event_time", F.expr("CAST(ts + INTERVAL '01' SECOND AS TIMESTAMP)")
                    ).withWatermark("event_time", "10 seconds"),
                    time="event_time",
                )
            )
        ),
        COLUMNS,
    ),
    Remedy(
        "a stream without a watermark",
        {"WatermarkAdvice.scala": "df.withWatermark("},
        lambda d: count(sw.key_by(d.stream, "user").time_window("10 seconds")),
        r'df\.withWatermark\("ts", "10 seconds"\) before key_by',
        lambda d: simulated(
            count(sw.key_by(d.stream.withWatermark("ts", "10 seconds"), "user").time_window("10 seconds")),
            "n",
        ),
        [(2,)],
    ),
    *(
        Remedy(
            f"a watermark that was lost by {step}",
            {"WatermarkAdvice.scala": "df.withWatermark("},
            lambda d, lose=lose, time=time: count(
                sw.key_by(lose(d.stream.withWatermark("ts", "1 second")), "user", time=time).time_window(
                    "10 seconds"
                )
            ),
            r"the one on 'ts' was lost on the way.* take withWatermark on 'ts' away, and after that step write "
            r'df\.withWatermark\("ts", "10 seconds"\)',
            lambda d, lose=lose: columns(
                count(
                    sw.key_by(lose(d.stream).withWatermark("ts", "10 seconds"), "user").time_window(
                        "10 seconds"
                    )
                )
            ),
            COLUMNS,
        )
        for step, time, lose in (
            (
                "a column of that name",
                "ts",
                lambda df: df.withColumn("ts", F.col("ts") + F.expr("INTERVAL 1 HOUR")),
            ),
            (
                "a column of that name, not named",
                None,
                lambda df: df.withColumn("ts", F.date_trunc("hour", "ts")),
            ),
            (
                "a function",
                None,
                lambda df: df.mapInPandas(lambda frames: frames, "user string, ts timestamp"),
            ),
        )
    ),
    Remedy(
        "a watermark of a strategy that was lost",
        {},
        lambda d: count(sw.key_by(hours(assigned_rows(d.stream)), "user", time="ts").time_window("10 hours")),
        r"needs a watermark on .* that of assign_timestamps_and_watermarks was lost on the way, .*"
        r"call assign_timestamps_and_watermarks after that step instead$",
        lambda d: columns(count(sw.key_by(assigned_rows(hours(d.stream)), "user").time_window("10 hours"))),
        COLUMNS,
    ),
    Remedy(
        "a watermark that an aggregation has in another column",
        {"WatermarkAdvice.scala": "F.window_time("},
        lambda d: count(
            sw.key_by(hourly(d).select("clicks", F.col("window.end").alias("at")), "clicks").time_window(
                "2 hours"
            )
        ),
        r"keep that column up to key_by as it is, or take F\.window_time\(\"window\"\)",
        lambda d: [
            columns(count(sw.key_by(hourly(d).select("clicks", column), "clicks").time_window("2 hours")))
            for column in ("window", F.window_time("window").alias("at"))
        ],
        [["clicks", "window", "n"]] * 2,
    ),
    Remedy(
        "advice of a query that measures no rows",
        {"RunningLateness.scala": "sw.advise("},
        lambda d: sw.advise(without_windows(d.stream)),
        r"the query has measured no rows .* Of a table take sw\.advise\(\.\., arrived=\.\.\)$",
        lambda d: sw.advise(d.clicks, time="ts", arrived=F.lit(1)).behind,
        0,
    ),
]
