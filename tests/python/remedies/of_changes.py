"""Rows that take back earlier ones, and change feeds."""

import pyspark.sql.functions as F

import spark_windowing as sw
from remedies.case import Remedy, count, values

DAY = sw.TumblingEventTimeWindows.of("1 day")
DELETES = "_change_type IN ('delete', 'update_preimage')"


def feed(d):
    """Return the clicks as a feed, in which the one for 4 is deleted."""
    deleted = d.clicks.where("price = 4").withColumn("_change_type", F.lit("delete"))
    changes = d.clicks.withColumn("_change_type", F.lit("insert")).union(deleted)
    return changes.withColumn("_commit_version", F.lit(1))


def as_source(d):
    """Return the feed as rows of a source, of which nothing is computed."""
    rows = feed(d)
    return d.spark.createDataFrame(rows.collect(), rows.schema)


def inserts(d):
    return feed(d).where("_change_type = 'insert'").drop("_change_type")


def keyed(d):
    return sw.key_by(feed(d), "user", time="ts").retracts(DELETES)


def taken_back(result):
    return values(result.select("user", F.col(result.columns[-1]).alias("v")), "user", "v")


CASES = [
    *(
        Remedy(
            f"a change feed of which nobody says what a delete is, {name}",
            {"ChangeFeed.scala": "key_by( df.where("},
            lambda d: count(d.windows(feed(d))),
            r'would count a delete as a row: .* Say so, key_by\(df, \.\.\)\.retracts\("_change_type IN '
            r"\('delete', 'update_preimage'\)\"\); or leave them out before key_by, "
            r"df\.where\(\"_change_type = 'insert'\"\)\.drop\(\"_change_type\"\); or give the column another name ",
            right,
            rows,
        )
        for name, right, rows in (
            ("said", lambda d: taken_back(count(keyed(d).time_window("10 seconds"))), [("B", 1), ("a", 1)]),
            ("left out", lambda d: taken_back(count(d.windows(inserts(d)))), [("B", 1), ("a", 2)]),
            (
                "renamed",
                lambda d: taken_back(count(d.windows(feed(d).withColumnRenamed("_change_type", "change")))),
                [("B", 1), ("a", 3)],
            ),
        )
    ),
    Remedy(
        "a change feed in a join",
        {"ChangeFeed.scala": "df.where("},
        lambda d: sw.join(sw.key_by(d.clicks, "user", time="ts"), sw.key_by(feed(d), "user", time="ts")),
        r"'right' is a change feed, .*: leave them out before key_by, df\.where\(\"_change_type = 'insert'\"\)",
        lambda d: values(
            sw.join(sw.key_by(d.clicks, "user", time="ts"), sw.key_by(inserts(d), "user", time="ts"))
            .window(sw.TumblingEventTimeWindows.of("10 seconds"))
            .inner()
            .groupBy("user")
            .count(),
            "user",
            "count",
        ),
        [("B", 1), ("a", 4)],
    ),
    Remedy(
        "rows that take back others in a join",
        {},
        lambda d: sw.join(sw.key_by(d.clicks, "user", time="ts"), keyed(d)),
        r"Make one table of the inputs, a\.unionByName\(b, allowMissingColumns=True\)",
        lambda d: taken_back(
            count(
                sw.key_by(feed(d).unionByName(d.clicks, allowMissingColumns=True), "user", time="ts")
                .retracts(DELETES)
                .time_window("10 seconds")
            )
        ),
        [("B", 2), ("a", 3)],
    ),
    Remedy(
        "a condition that is no boolean",
        {},
        lambda d: sw.key_by(feed(d), "user", time="ts").retracts("_change_type").time_window("1 day"),
        r"retracts takes a boolean column, .*: compare it, such as _change_type IN \('delete', 'update_preimage'\)",
        lambda d: taken_back(count(keyed(d).time_window("10 seconds"))),
        [("B", 1), ("a", 1)],
    ),
    Remedy(
        "a condition that forgets the row before an update",
        {"ChangeFeed.scala": "key_by("},
        lambda d: sw.key_by(as_source(d), "user", time="ts").retracts("_change_type = 'delete'").window(DAY),
        r"'_change_type' is 'update_preimage': .* key_by\(df, \.\.\)\.retracts\(\"_change_type IN \('delete', 'upd",
        lambda d: taken_back(
            count(sw.key_by(as_source(d), "user", time="ts").retracts(DELETES).time_window("10 seconds"))
        ),
        [("B", 1), ("a", 1)],
    ),
    Remedy(
        "a maximum of rows that are left",
        {"Retraction.scala": "df.where("},
        lambda d: keyed(d).time_window("10 seconds").aggregate(F.max("price")),
        r"use count, sum, avg or count_if, or leave such rows out before key_by, "
        r"df\.where\(\"NOT coalesce\(\(_change_type IN \('delete', 'update_preimage'\)\), false\)\"\)$",
        lambda d: [
            taken_back(keyed(d).time_window("10 seconds").aggregate("sum(price)")),
            taken_back(
                sw.key_by(feed(d).where(f"NOT coalesce(({DELETES}), false)"), "user", time="ts")
                .retracts(DELETES)
                .time_window("10 seconds")
                .aggregate("sum(price)")
            ),
        ],
        [[("B", 7), ("a", 3)], [("B", 7), ("a", 7)]],
    ),
    Remedy(
        "Flink's sum of a field, of rows that are left",
        {"RetractingRows.scala": ".aggregate( F.sum("},
        lambda d: keyed(d).time_window("10 seconds").sum("price"),
        r'such as \.aggregate\(F\.sum\("price"\)\)',
        lambda d: taken_back(keyed(d).time_window("10 seconds").aggregate(F.sum("price"))),
        [("B", 7), ("a", 3)],
    ),
]
