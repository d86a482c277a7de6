"""Aggregates of Spark SQL."""

import re

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F

import spark_windowing as sw
from remedies.case import BOTH, Remedy, values


def means():
    """Functions of no module, which workers get by value."""

    def mean(prices: pd.Series) -> float:
        return prices.mean()

    def arrow_mean(prices: pa.Array) -> float:
        return pc.mean(prices)

    return mean, arrow_mean


mean, arrow_mean = means()
CASES = [
    Remedy(
        "an aggregate that is none",
        {"AggregateRefusals.scala": "F.first("},
        lambda d: d.windows().aggregate(F.col("price")),
        r"wrap it in F\.first\(\.\.\)",
        lambda d: values(d.windows().aggregate(F.first("price").alias("p")), "p"),
        [(3,), (7,)],
    ),
    Remedy(
        "an exact count of different values",
        {"AggregateRefusals.scala": "F.size( F.collect_set( F.approx_count_distinct("},
        lambda d: d.windows(None, F.lit(1).alias("k")).aggregate(F.count_distinct("user")),
        r'write F\.size\(F\.collect_set\("user"\)\) .* or F\.approx_count_distinct\("user"\)',
        lambda d: values(
            d.windows(None, F.lit(1).alias("k")).aggregate(
                F.size(F.collect_set("user")).alias("n"), F.approx_count_distinct("user").alias("m")
            ),
            "n",
            "m",
        ),
        [(2, 2)],
    ),
    *(
        Remedy(
            f"an exact count of different {name}, since Spark 4",
            {},
            lambda d, value=value: d.windows(
                d.clicks.withColumn("v", F.expr(value)), F.lit(1).alias("k")
            ).aggregate(F.count_distinct("v")),
            r"write F\.size\(F\.collect_set\(F\.expr\(\""
            + re.escape(line)
            + r"\"\)\)\) for the exact count or "
            r"F\.approx_count_distinct\(F\.expr\(\"" + re.escape(line) + r"\"\)\)",
            lambda d, value=value, line=line: values(
                d.windows(d.clicks.withColumn("v", F.expr(value)), F.lit(1).alias("k")).aggregate(
                    F.size(F.collect_set(F.expr(line))).alias("n"),
                    F.approx_count_distinct(F.expr(line)).alias("m"),
                ),
                "n",
                "m",
            ),
            [(2, 2)],
        )
        for name, value, line in (
            (
                "texts in lower case",
                "collate(if(price = 4, 'A', user), 'UTF8_LCASE')",
                "translate(lower(collate(v, 'UTF8_BINARY')), 'ς', 'σ')",
            ),
        )
    ),
    Remedy(
        "an exact count of different pairs",
        {"AggregateRefusals.scala": "F.expr("},
        lambda d: d.windows(None, F.lit(1).alias("k")).aggregate(
            F.count_distinct("user", F.expr("nullif(price, 7)"))
        ),
        r'write F\.size\(F\.collect_set\(F\.expr\("'
        r"IF\(isnull\(user\) OR isnull\(nullif\(price, 7\)\), NULL, struct\(user, nullif\(price, 7\)\)\)\"\)\)\)",
        lambda d: values(
            d.windows(None, F.lit(1).alias("k")).aggregate(
                F.size(
                    F.collect_set(
                        F.expr(
                            "IF(isnull(user) OR isnull(nullif(price, 7)), NULL, struct(user, nullif(price, 7)))"
                        )
                    )
                ).alias("n")
            ),
            "n",
        ),
        [(2,)],
    ),
    Remedy(
        "an array of different values",
        {"AggregateRefusals.scala": "F.array_join("},
        lambda d: d.windows().aggregate(F.expr("percentile(DISTINCT price, 1)")),
        r'apply a function of arrays to F\.collect_set\("price"\), such as F\.array_join\(\.\.\)',
        lambda d: values(
            d.windows().aggregate(F.array_join(F.array_sort(F.collect_set("price")), ",").alias("p")), "p"
        ),
        [("3,4",), ("7",)],
    ),
    Remedy(
        "a sum of different values",
        {"AggregateRefusals.scala": "F.aggregate( F.lit("},
        lambda d: d.windows().aggregate(F.sum_distinct("price")),
        r'F\.aggregate\(F\.collect_set\("price"\), F\.lit\(0\)\.cast\(\.\.\), lambda all, one: all \+ one\)',
        lambda d: values(
            d.windows().aggregate(
                F.aggregate(F.collect_set("price"), F.lit(0).cast("int"), lambda a, one: a + one).alias("s")
            ),
            "s",
        ),
        BOTH,
    ),
    Remedy(
        "an aggregate of an aggregate",
        {"AggregateRefusals.scala": "key_by("},
        lambda d: d.windows().aggregate(F.max(F.sum("price"))),
        r"key_by\(result, \.\.\)\.window\(\.\.\)\.aggregate\(\.\.\)",
        lambda d: values(
            sw.key_by(d.windows().aggregate(F.sum("price").alias("s")), F.lit(1).alias("k"))
            .window(sw.TumblingEventTimeWindows.of("10 seconds"))
            .aggregate(F.max("s").alias("m")),
            "m",
        ),
        [(7,)],
    ),
    Remedy(
        "an aggregate in Python on pandas",
        {"AggregateRefusals.scala": ".apply( pd.DataFrame("},
        lambda d: d.windows().aggregate(F.pandas_udf(mean, "double")("price")),
        r'\.apply\(lambda key, window, rows: pd\.DataFrame\(\{"mean": \[mean\(rows\["price"\]\)\]\}\), "mean double"\)',
        lambda d: values(
            d.windows().apply(
                lambda key, window, rows: pd.DataFrame({"mean": [mean(rows["price"])]}), "mean double"
            ),
            "mean",
        ),
        [(3.5,), (7.0,)],
    ),
    Remedy(
        "an aggregate in Python on Arrow, since Spark 4.1",
        {"AggregateRefusals.scala": "pa.array("},
        lambda d: d.windows().aggregate(F.arrow_udf(arrow_mean, "double")("price")),
        r'pd\.DataFrame\(\{"arrow_mean": \[arrow_mean\(pa\.array\(rows\["price"\]\)\)\.as_py\(\)\]\}\), "arrow_mean double"',
        lambda d: values(
            d.windows().apply(
                lambda key, window, rows: pd.DataFrame(
                    {"arrow_mean": [arrow_mean(pa.array(rows["price"])).as_py()]}
                ),
                "arrow_mean double",
            ),
            "arrow_mean",
        ),
        [(3.5,), (7.0,)],
    ),
    Remedy(
        "no aggregate at all",
        {"aggregates.py": ".aggregate( F.count("},
        lambda d: d.windows().aggregate(),
        r'\.aggregate\(F\.count\("\*"\)\.alias\("count"\)\)',
        lambda d: values(d.windows().aggregate(F.count("*").alias("count")), "count"),
        [(1,), (2,)],
    ),
    Remedy(
        "an aggregate as a number",
        {"aggregates.py": "F.sum("},
        lambda d: d.windows().aggregate(3),
        r'F\.sum\("price"\)\.alias\("spent"\), SQL text such as "sum\(price\) AS spent", or one dict',
        lambda d: [
            values(d.windows().aggregate(F.sum("price").alias("spent")), "spent"),
            values(d.windows().aggregate("sum(price) AS spent"), "spent"),
            values(d.windows().aggregate({"price": "sum"}), "sum(price)"),
        ],
        [BOTH, BOTH, BOTH],
    ),
    Remedy(
        "a dict beside a Column",
        {"aggregates.py": ".aggregate("},
        lambda d: d.windows().agg({"price": "sum"}, F.count("*")),
        r'\.aggregate\("sum\(price\)", "count\(\*\) AS n"\)',
        lambda d: values(d.windows().aggregate("sum(price)", "count(*) AS n"), "sum(price)", "n"),
        [(7, 1), (7, 2)],
    ),
    Remedy(
        "a method of grouped data",
        {"guidance.py": ".aggregate( F.avg( F.count( F.max( F.min( F.sum("},
        lambda d: d.windows().count(),
        r'write \.aggregate\(F\.count\("\*"\)\.alias\("count"\)\)',
        lambda d: values(
            d.windows().aggregate(
                *(f("price").alias(str(i)) for i, f in enumerate((F.count, F.sum, F.min, F.max, F.avg)))
            ),
            *"01234",
        ),
        [(1, 7, 7, 7, 7.0), (2, 7, 3, 4, 3.5)],
    ),
]
