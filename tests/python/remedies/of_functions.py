"""Reductions, triggers of columns and functions of users."""

import dataclasses

import pandas as pd
from pyspark.sql import functions as F

import spark_windowing as sw
from remedies.case import BOTH, SUM, Remedy, total, values

CASES = [
    Remedy(
        "a struct of another type",
        {"StructFit.scala": ".cast("},
        lambda d: d.windows().reduce("struct(a.user, a.price + 0.5D as price, a.ts)"),
        r'cast it, e\.g\. \.cast\("int"\)',
        lambda d: values(
            d.windows().reduce(
                lambda a, b: F.struct(
                    a["user"], (a["price"] + F.lit(0.5)).cast("int").alias("price"), a["ts"]
                )
            ),
            "price",
        ),
        [(3,), (7,)],
    ),
    Remedy(
        "no struct at all",
        {"StructFit.scala": "F.struct("},
        lambda d: d.windows().reduce(lambda a, b: a["price"]),
        r'F\.struct\(value\.alias\("name"\), \.\.\)',
        lambda d: values(
            d.windows().reduce(lambda a, b: F.struct(a["user"], b["price"].alias("price"), a["ts"])), "price"
        ),
        [(4,), (7,)],
    ),
    Remedy(
        "a mergeable function without merge",
        {"ColumnAggregateFunction.scala": "F.struct("},
        lambda d: d.windows().aggregate(dataclasses.replace(SUM, mergeable=True)),
        r"merge=lambda a, b: F\.struct\(\.\.\)",
        lambda d: values(
            d.windows().aggregate(
                dataclasses.replace(
                    SUM, mergeable=True, merge=lambda a, b: F.struct((a["s"] + b["s"]).alias("s"))
                )
            ),
            "s",
        ),
        BOTH,
    ),
    Remedy(
        "a merge that is missing",
        {"ColumnAggregateFunction.scala": "F.struct("},
        lambda d: (
            sw.key_by(d.clicks, "user", time="ts")
            .window(sw.EventTimeSessionWindows.with_gap("5 seconds"))
            .aggregate(SUM)
        ),
        r"merge=lambda a, b: F\.struct\(\.\.\)",
        lambda d: values(
            sw.key_by(d.clicks, "user", time="ts")
            .window(sw.EventTimeSessionWindows.with_gap("5 seconds"))
            .aggregate(
                sw.AggregateFunction(
                    create_accumulator=SUM.create_accumulator,
                    add=SUM.add,
                    get_result=SUM.get_result,
                    merge=lambda a, b: F.struct((a["s"] + b["s"]).alias("s")),
                )
            ),
            "s",
        ),
        BOTH,
    ),
    Remedy(
        "a condition where there are Columns",
        {"column_lambdas.py": "F.when("},
        lambda d: d.windows().reduce(lambda a, b: a if a["price"] > b["price"] else b),
        r"write F\.when\(condition, x\)\.otherwise\(y\) in place of if",
        lambda d: values(
            d.windows().reduce(lambda a, b: F.when(a["price"] > b["price"], a).otherwise(b)), "price"
        ),
        [(4,), (7,)],
    ),
    Remedy(
        "a function of Columns that gives none",
        {"message.py": "F.lit( F.struct("},
        lambda d: d.windows().aggregate(
            sw.AggregateFunction(create_accumulator=lambda: 0, add=SUM.add, get_result=SUM.get_result)
        ),
        r"must return a Column, as F\.lit\(0\) and F\.struct\(\.\.\) are",
        lambda d: values(
            d.windows().aggregate(
                sw.AggregateFunction(
                    create_accumulator=lambda: F.struct(F.lit(0).alias("s")),
                    add=SUM.add,
                    get_result=SUM.get_result,
                )
            ),
            "s",
        ),
        BOTH,
    ),
    Remedy(
        "a column trigger without an answer",
        {"column_triggers.py": "sw.Answer("},
        lambda d: d.windows().trigger(sw.ColumnTrigger.of()),
        r'on_element=sw\.Answer\(fire="element\.alert"\)',
        lambda d: total(
            d.windows(d.clicks.withColumn("alert", F.col("price") > 3)).trigger(
                sw.ColumnTrigger.of(on_element=sw.Answer(fire="element.alert"))
            )
        ),
        BOTH,
    ),
    Remedy(
        "a timer of a column trigger that nothing answers",
        {"ColumnTrigger.scala": "sw.Answer("},
        lambda d: total(
            d.windows().trigger(sw.ColumnTrigger.of(on_element=sw.Answer(event_timer="window.last")))
        ),
        r"add on_event_time=sw\.Answer\(\.\.\)",
        lambda d: total(
            d.windows().trigger(
                sw.ColumnTrigger.of(
                    on_element=sw.Answer(event_timer="window.last"), on_event_time=sw.Answer(fire=True)
                )
            )
        ),
        BOTH,
    ),
    Remedy(
        "a function of windows that gives no frame",
        {"arrow_results.py": "pd.DataFrame("},
        lambda d: values(d.windows().process(lambda key, context, rows: len(rows), "n long"), "n"),
        r"pd\.DataFrame\(\{'n': \[\.\.\]\}\)",
        lambda d: values(
            d.windows().process(lambda key, context, rows: pd.DataFrame({"n": [len(rows)]}), "n long"), "n"
        ),
        [(1,), (2,)],
    ),
    Remedy(
        "a time that clocks skip",
        {"arrow_results.py": "rows.ts.dt.tz_localize( pd.Timedelta( spark.conf.set("},
        lambda d: in_new_york(d, lambda rows: rows.ts + pd.Timedelta("1h")),
        r'rows\.ts\.dt\.tz_localize\("America/New_York", ambiguous=False\) \+ pd\.Timedelta\(\.\.\), or .*'
        r'spark\.conf\.set\("spark\.sql\.session\.timeZone", "UTC"\)',
        lambda d: [
            in_new_york(
                d,
                lambda rows: rows.ts.dt.tz_localize("America/New_York", ambiguous=False) + pd.Timedelta("1h"),
            ),
            in_new_york(d, lambda rows: rows.ts + pd.Timedelta("1h"), "UTC"),
        ],
        [[(1772955000,)], [(1772955000,)]],
    ),
    Remedy(
        "months for a Python function",
        {"PythonFunctionWork.scala": "df.withColumn( F.col( .cast("},
        lambda d: lasting(d, d.clicks.withColumn("price", F.expr("make_ym_interval(0, price)"))),
        r'df\.withColumn\("price", F\.col\("price"\)\.cast\("int"\)\)',
        lambda d: lasting(
            d,
            d.clicks.withColumn("price", F.expr("make_ym_interval(0, price)")).withColumn(
                "price", F.col("price").cast("int")
            ),
        ),
        [(7,), (7,)],
    ),
    Remedy(
        "months from an aggregate for a Python function",
        {"PythonFunctionWork.scala": "F.max( .cast( .alias("},
        lambda d: longest(d, F.max("length").alias("length")),
        r'such as F\.max\("length"\)\.cast\("int"\)\.alias\("length"\)',
        lambda d: longest(d, F.max("length").cast("int").alias("length")),
        [(4,), (7,)],
    ),
]


def in_new_york(d, at, zone="America/New_York"):
    """An hour after the time of a click that is half an hour before clocks go forward, as seconds."""
    before = d.spark.conf.get("spark.sql.session.timeZone")
    d.spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        clicks = d.clicks.limit(1).withColumn("ts", F.timestamp_seconds(F.lit(1772951400)))
        result = d.windows(clicks).process(
            lambda key, context, rows: pd.DataFrame({"at": at(rows)}), "at timestamp"
        )
        return values(result.select(F.unix_seconds("at").alias("at")), "at")
    finally:
        d.spark.conf.set("spark.sql.session.timeZone", before)


def lasting(d, clicks):
    return values(
        d.windows(clicks).process(
            lambda key, context, rows: pd.DataFrame({"n": [int(rows.price.sum())]}), "n long"
        ),
        "n",
    )


def longest(d, aggregate):
    clicks = d.clicks.withColumn("length", F.expr("make_ym_interval(0, price)"))
    result = d.windows(clicks).aggregate(
        aggregate,
        process=lambda key, context, rows: rows.rename(columns={"length": "n"}),
        schema="n int",
    )
    return values(result, "n")
