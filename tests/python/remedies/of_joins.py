"""Inputs of joins and co-groups."""

from pyspark.sql import functions as F

import spark_windowing as sw
from remedies.case import Remedy

CHECKS = "TaggedUnionChecks.scala"


def keyed(df, *keys, time="ts"):
    return sw.key_by(df, *(keys or ("user",)), time=time)


def prices(left, right, **names):
    """The sums of the prices of all pairs in windows of ten seconds."""
    windows = sw.join(left, right, **names).window(sw.TumblingEventTimeWindows.of("10 seconds"))
    one, other = names.get("names", ("left", "right"))
    pairs = windows.inner().select(F.col(f"{one}.price") + F.col(f"{other}.price"))
    return sorted(row[0] for row in pairs.collect())


def grouped(**inputs):
    return total_of(sw.co_group(**inputs), next(iter(inputs)))


def total_of(keyed, name):
    windows = keyed.time_window("10 seconds")
    return sorted(row.s for row in windows.aggregate(F.sum(f"{name}.price").alias("s")).collect())


PAIRS = [6, 7, 7, 8, 14]


CASES = [
    Remedy(
        "an input with the name of a key",
        {CHECKS: "join( co_group( F.col("},
        lambda d: sw.join(keyed(d.clicks), keyed(d.clicks), names=("user", "order")),
        r'join\(a, b, names=\("click", "order"\)\) or co_group\(click=a, order=b\), or a key by F\.col\(\.\.\)\.alias',
        lambda d: [
            prices(keyed(d.clicks), keyed(d.clicks), names=("click", "order")),
            grouped(click=keyed(d.clicks), order=keyed(d.clicks)),
            prices(keyed(d.clicks, F.col("user").alias("who")), keyed(d.clicks), names=("user", "order")),
        ],
        [PAIRS, [7, 7], PAIRS],
    ),
    Remedy(
        "a stream and a static DataFrame",
        {CHECKS: "stream.join("},
        lambda d: sw.join(keyed(d.stream.withWatermark("ts", "0 seconds")), keyed(d.clicks)),
        r'stream\.join\(static, "key"\)',
        lambda d: d.stream.join(d.clicks.select("user", F.col("price").alias("p")), "user").columns,
        ["user", "price", "ts", "p"],
    ),
    Remedy(
        "keys of different types",
        {CHECKS: "key_by( F.col("},
        lambda d: sw.join(keyed(d.clicks, "price"), keyed(d.clicks, F.col("price").cast("long").alias("p"))),
        r'key_by\(\.\., F\.col\("p"\)\.cast\("int"\)\.alias\("p"\)\)',
        lambda d: prices(
            keyed(d.clicks, "price"),
            keyed(d.clicks.withColumn("p", F.col("price").cast("long")), F.col("p").cast("int").alias("p")),
        ),
        [6, 8, 14],
    ),
    Remedy(
        "keys of structs of different types",
        {},
        lambda d: sw.join(
            keyed(d.clicks, F.expr("named_struct('Price', price)").alias("k")),
            keyed(d.clicks, F.expr("named_struct('Price', bigint(price))").alias("k")),
        ),
        r'F\.col\("k"\)\.cast\("struct<Price:int>"\)\.alias\("k"\)',
        lambda d: prices(
            keyed(d.clicks, F.expr("named_struct('Price', price)").alias("k")),
            keyed(
                d.clicks.withColumn("k", F.expr("named_struct('Price', bigint(price))")),
                F.col("k").cast("struct<Price:int>").alias("k"),
            ),
        ),
        [6, 8, 14],
    ),
    Remedy(
        "an event time that one input lacks",
        {CHECKS: "key_by("},
        lambda d: sw.join(keyed(d.clicks), sw.key_by(d.clicks, "user")),
        r'key_by\(df, \.\., time="ts"\)',
        lambda d: prices(keyed(d.clicks), sw.key_by(d.clicks, "user", time="ts")),
        PAIRS,
    ),
    Remedy(
        "a watermark that one input lacks",
        {"WatermarkAdvice.scala": "df.withWatermark("},
        lambda d: sw.join(keyed(d.stream.withWatermark("ts", "0 seconds")), keyed(d.stream)),
        r'df\.withWatermark\("ts", "10 seconds"\) before key_by',
        lambda d: repr(sw.join(*(keyed(d.stream.withWatermark("ts", "10 seconds")) for _ in range(2)))),
        "join(key_by(df, 'user', time='ts'), key_by(df, 'user', time='ts'))",
    ),
    Remedy(
        "an aggregate of a join",
        {"guidance.py": "sw.co_group("},
        lambda d: (
            sw.join(keyed(d.clicks), keyed(d.clicks))
            .window(sw.TumblingEventTimeWindows.of("10 seconds"))
            .aggregate(F.count("*"))
        ),
        r"sw\.co_group\(clicks=\.\., orders=\.\.\)",
        lambda d: grouped(clicks=keyed(d.clicks), orders=keyed(d.clicks)),
        [7, 7],
    ),
    Remedy(
        "a join by over windows",
        {"AssignedWindows.scala": "co_group("},
        lambda d: sw.join(keyed(d.clicks), keyed(d.clicks)).window(
            sw.OverEventTimeWindows.preceding("1 hour")
        ),
        r"co_group\(clicks=\.\., orders=\.\.\)\.window\(\.\.\)",
        lambda d: sorted(
            row.s
            for row in sw.co_group(clicks=keyed(d.clicks), orders=keyed(d.clicks))
            .window(sw.OverEventTimeWindows.preceding("1 hour"))
            .aggregate(F.sum("clicks.price").alias("s"))
            .collect()
        ),
        [3, 3, 7, 7, 7, 7],
    ),
    Remedy(
        "a DataFrame that is not keyed",
        {"joined.py": "key_by( co_group("},
        lambda d: sw.co_group(clicks=d.clicks, orders=d.clicks),
        r'key_by\(df, "user", time="ts"\)',
        lambda d: grouped(
            clicks=sw.key_by(d.clicks, "user", time="ts"), orders=sw.key_by(d.clicks, "user", time="ts")
        ),
        [7, 7],
    ),
]
