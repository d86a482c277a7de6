"""Keys, times and gaps of the input."""

import re
import tempfile

import pandas as pd
from pyspark.sql import functions as F

import spark_windowing as sw
from remedies.case import BOTH, MONOTONOUS, Remedy, assigned, by_gap, count, ran, simulated, total, values


def daily(frame, time_zone):
    return sw.key_by(frame, "user", time="ts").window(sw.CalendarWindows.days(time_zone=time_zone))


def idle(d, strategy):
    return sw.assign_timestamps_and_watermarks(d.stream, strategy.with_idleness("1 s"), time="ts")


def far(d):
    """Return the clicks and one of the year 10000."""
    late = d.clicks.limit(1).withColumn("ts", F.timestamp_seconds(F.lit(253402300800)))
    return d.clicks.union(late)


def files(d):
    """Return the clicks from two files."""
    folder = tempfile.mkdtemp()
    d.clicks.where("price < 4").coalesce(1).write.parquet(folder, mode="append")
    d.clicks.where("price >= 4").coalesce(1).write.parquet(folder, mode="append")
    return d.spark.read.parquet(folder)


def by_file(rows):
    return count(sw.key_by(rows, "_metadata.file_name", time="ts").time_window("10 seconds"))


CASES = [
    Remedy(
        "a time behind the year 9999 in calendar windows",
        {"CalendarSlices.scala": "df.where("},
        lambda d: total(daily(far(d), "UTC")),
        r'remove such rows before, df\.where\("year\(ts\) BETWEEN 2 AND 9998"\)',
        lambda d: total(daily(far(d).where("year(ts) BETWEEN 2 AND 9998"), "UTC")),
        BOTH,
    ),
    Remedy(
        "a time zone that does not exist",
        {},
        lambda d: total(daily(d.clicks, "Europe/Berln")),
        r"CalendarWindows\.days: time_zone 'Europe/Berln' is unknown\. Similar ones are 'Europe/Berlin', '",
        lambda d: total(daily(d.clicks, "Europe/Berlin")),
        BOTH,
    ),
    Remedy(
        "a gap that is no interval",
        {},
        lambda d: (
            sw.key_by(d.clicks, "user", time="ts")
            .window(sw.EventTimeSessionWindows.with_dynamic_gap("price"))
            .aggregate(F.count("*"))
        ),
        r"use e\.g\. F\.make_dt_interval\(secs=\.\.\)",
        lambda d: total(
            sw.key_by(d.clicks, "user", time="ts").window(
                sw.EventTimeSessionWindows.with_dynamic_gap(F.make_dt_interval(secs=F.col("price")))
            )
        ),
        BOTH,
    ),
    Remedy(
        "an end of sessions that is not boolean",
        {"ColumnSessionEnd.scala": "F.col("},
        lambda d: count(
            sw.key_by(d.clicks, "user", time="ts").window(
                sw.EventTimeSessionWindows.with_gap("1 minute", ends_at="user")
            )
        ),
        r'e\.g\. ends_at=F\.col\("kind"\) == "logout"',
        lambda d: total(
            sw.key_by(d.clicks, "user", time="ts").window(
                sw.EventTimeSessionWindows.with_gap("1 minute", ends_at=F.col("user") == "logout")
            )
        ),
        BOTH,
    ),
    *(
        Remedy(
            f"a gap that is null, of {kind}",
            {"ColumnGap.scala": "F.coalesce( F.lit("},
            lambda d, gap=gap: total(by_gap(d, F.expr(gap))),
            said,
            lambda d, gap=gap, other=other: total(by_gap(d, F.coalesce(F.expr(gap), other()))),
            BOTH,
        )
        for kind, gap, other, said in (
            (
                "text",
                "if(price > 3, '1 second', null)",
                lambda: F.lit("5 seconds"),
                r'F\.coalesce\("gap", F\.lit\("5 seconds"\)\) for text',
            ),
            (
                "days to seconds",
                "if(price > 3, interval 1 second, null)",
                lambda: F.make_dt_interval(secs=F.lit(5)),
                r'F\.coalesce\("gap", F\.make_dt_interval\(secs=F\.lit\(5\)\)\) for an interval of days to seconds',
            ),
            (
                "INTERVAL",
                "if(price > 3, make_interval(0, 0, 0, 0, 0, 0, 1), null)",
                lambda: F.make_interval(secs=F.lit(5)),
                r'F\.coalesce\("gap", F\.make_interval\(secs=F\.lit\(5\)\)\) for INTERVAL',
            ),
        )
    ),
    *(
        Remedy(
            f"a key of {kind}",
            {"KeyTypes.scala": "F.expr( df.withColumn("},
            lambda d, key=key: count(d.windows(d.clicks, F.expr(key).alias("k"))),
            re.escape(f'F.expr("{line}").alias("k") as key over df.withColumn("k", ..)'),
            lambda d, key=key, line=line: total(
                d.windows(d.clicks.withColumn("k", F.expr(key)), F.expr(line).alias("k"))
            ),
            BOTH,
        )
        for kind, key, line in (
            ("INTERVAL", "make_interval(0, 0, 0, 0, 0, 0, if(user = 'a', 1, 2))", "CAST(k AS STRING)"),
            ("a variant", "parse_json(to_json(struct(user)))", "to_json(k)"),
            (
                "texts in lower case",
                "collate(user, 'UTF8_LCASE')",
                "translate(lower(collate(k, 'UTF8_BINARY')), 'ς', 'σ')",
            ),
        )
    ),
    *(
        Remedy(
            f"an input with two columns of one name, {name}",
            {"StructFit.scala": "df.toDF("},
            lambda d, call=call: call(d.windows(d.clicks.toDF("user", "user", "ts"), F.lit(1).alias("k"))),
            rf'{name}: the input has two columns named user: .* df\.toDF\("user", "user_2", \.\.\)',
            lambda d, call=call: values(
                call(d.windows(d.clicks.toDF("user", "user_2", "ts"), F.lit(1).alias("k"))), "n"
            ),
            [(7,)],
        )
        for name, call in (
            ("max", lambda windows: windows.max("ts").withColumn("n", F.lit(7))),
            (
                "reduce",
                lambda windows: windows.reduce(
                    "struct(a.user, greatest(a.user_2, b.user_2) as user_2, a.ts)"
                ).withColumnRenamed("user_2", "n"),
            ),
            (
                "process",
                lambda windows: windows.process(
                    lambda key, context, rows: pd.DataFrame({"n": [rows["user_2"].max()]}), "n int"
                ),
            ),
        )
    ),
    Remedy(
        "a key in a hidden column",
        {"Columns.scala": "df.select("},
        lambda d: by_file(files(d)),
        r"a key uses '_metadata', a hidden column .* write df\.select\(\"\*\", \"_metadata\"\) before",
        lambda d: values(by_file(files(d).select("*", "_metadata")), "n"),
        [(1,), (2,)],
    ),
    *(
        Remedy(
            f"a time that is {unit}, {number}",
            {"EventTimeColumn.scala": "F.col( df.withColumn("},
            lambda d, number=number: count(d.windows(d.plain.selectExpr("*", f"{number} as ts"))),
            rf'df\.withColumn\("ts", F\.timestamp_{unit}\(F\.col\("ts"\)\)\) if ',
            lambda d, number=number, to=to: total(
                d.windows(d.plain.selectExpr("*", f"{number} as ts").withColumn("ts", to("ts")))
            ),
            BOTH,
        )
        for unit, number, to in (
            ("millis", "second * 1000L", F.timestamp_millis),
            ("millis", "1000 * second", F.timestamp_millis),
            ("seconds", "bigint(second)", F.timestamp_seconds),
            ("seconds", "smallint(second)", F.timestamp_seconds),
            ("seconds", "cast(second as decimal(5, 2))", F.timestamp_seconds),
            ("seconds", "second / 1", F.timestamp_seconds),
        )
    ),
    Remedy(
        "a time that is a date",
        {},
        lambda d: count(d.windows(d.plain.select("*", F.to_date(F.lit("2026-01-01")).alias("ts")))),
        r'df\.withColumn\("ts", F\.col\("ts"\)\.cast\("timestamp"\)\)$',
        lambda d: total(
            d.windows(
                d.plain.select("*", F.to_date(F.lit("2026-01-01")).alias("ts")).withColumn(
                    "ts", F.col("ts").cast("timestamp")
                )
            )
        ),
        BOTH,
    ),
    Remedy(
        "a time that is a number, with the watermark elsewhere",
        {},
        lambda d: count(d.windows(d.stream.withWatermark("ts", "1 second"), time="price")),
        r'df\.withColumn\("price", F\.timestamp_millis\(F\.col\("price"\)\)\) if it counts milliseconds',
        lambda d: ran(
            count(
                d.windows(
                    d.stream.withColumn("price", F.timestamp_millis(F.col("price"))).withWatermark(
                        "price", "10 seconds"
                    ),
                    time="price",
                )
            )
        ),
        "ran",
    ),
    Remedy(
        "a time that is text",
        {"EventTimeColumn.scala": "F.col( df.withColumn("},
        lambda d: count(d.windows(d.clicks.withColumn("ts", F.col("ts").cast("string")))),
        r"""df\.withColumn\("ts", F\.to_timestamp\(F\.col\("ts"\)\)\)""",
        lambda d: total(
            d.windows(
                d.clicks.withColumn("ts", F.col("ts").cast("string")).withColumn(
                    "ts", F.to_timestamp(F.col("ts"))
                )
            )
        ),
        BOTH,
    ),
    Remedy(
        "a static frame without a time",
        {"AssignedWindows.scala": "key_by(", "EventTimeColumn.scala": "key_by("},
        lambda d: count(sw.key_by(d.clicks, "user").time_window("10 seconds")),
        r'key_by\(df, \.\., time="ts"\)',
        lambda d: total(sw.key_by(d.clicks, "user", time="ts").time_window("10 seconds")),
        BOTH,
    ),
    Remedy(
        "a timestamp assigner that gives text",
        {"TimestampColumn.scala": "F.expr("},
        lambda d: assigned(d, F.concat(F.lit("1970-01-01 00:00:0"), "second")),
        r"""F\.to_timestamp\(F\.expr\("concat\('1970-01-01 00:00:0', CAST\(second AS STRING\)\)"\)\)""",
        lambda d: assigned(d, F.to_timestamp(F.expr("concat('1970-01-01 00:00:0', CAST(second AS STRING))"))),
        [(1,), (2,)],
    ),
    Remedy(
        "a timestamp assigner that gives milliseconds",
        {"TimestampColumn.scala": "F.expr("},
        lambda d: assigned(d, F.col("second") * 1000),
        r'F\.timestamp_millis\(F\.expr\("\(second \* 1000\)"\)\) if it counts milliseconds',
        lambda d: assigned(d, F.timestamp_millis(F.expr("(second * 1000)"))),
        [(1,), (2,)],
    ),
    Remedy(
        "a second column of the event time",
        {"TimestampsAndWatermarks.scala": "assign_timestamps_and_watermarks("},
        lambda d: assigned(d, F.timestamp_seconds("second"), time="second"),
        r'assign_timestamps_and_watermarks\(df, strategy, time="assigned_second"\)',
        lambda d: assigned(d, F.timestamp_seconds("second"), time="assigned_second"),
        [(1,), (2,)],
    ),
    Remedy(
        "an event time that is text",
        {"TimestampsAndWatermarks.scala": "strategy.with_timestamp_assigner( F.col("},
        lambda d: sw.assign_timestamps_and_watermarks(
            d.plain.selectExpr("*", "string(timestamp_seconds(second)) as at"), MONOTONOUS, time="at"
        ),
        r'strategy\.with_timestamp_assigner\(F\.to_timestamp\(F\.col\("at"\)\)\)',
        lambda d: values(
            count(
                sw.key_by(
                    sw.assign_timestamps_and_watermarks(
                        d.plain.selectExpr("*", "string(timestamp_seconds(second)) as at"),
                        MONOTONOUS.with_timestamp_assigner(F.to_timestamp(F.col("at"))),
                    ),
                    "user",
                ).time_window("10 seconds")
            ),
            "n",
        ),
        [(1,), (2,)],
    ),
    Remedy(
        "idleness without watermarks",
        {"QuietStreams.scala": "sw.WatermarkStrategy.for_bounded_out_of_orderness("},
        lambda d: idle(d, sw.WatermarkStrategy.no_watermarks()),
        r'sw\.WatermarkStrategy\.for_bounded_out_of_orderness\("5 seconds"\)',
        lambda d: simulated(
            count(
                sw.key_by(
                    idle(d, sw.WatermarkStrategy.for_bounded_out_of_orderness("5 seconds")), "user"
                ).time_window("10 seconds")
            ),
            "n",
        ),
        [(2,)],
    ),
]
