"""The lines to type that errors name: wrong code, what the error says, and the code that follows it, with its rows.

Each case has the places whose lines it follows: a file and the calls named in it. `code_in_errors` finds all of
them in the sources; `NOT_RUN` says which are followed elsewhere, or by no test, and why.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
from pyspark.sql import functions as F

import spark_windowing as sw
from spark_windowing import sim

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
SOURCES = [
    *(ROOT / "python" / "src" / "spark_windowing").rglob("*.py"),
    *(ROOT / "core-scala" / "spark" / "src" / "main").rglob("*.scala"),
    *(ROOT / "core-scala" / "engine" / "src" / "main").rglob("*.scala"),
]
# A call as an error names it: of a name that users have, of a method, or of a function of the package.
CALL = re.compile(
    r"(?:\b(?:F|df|sw|strategy|spark|result|rows|os|pd|SparkSession)\.[\w.]+|(?<![\w.\])\"'}])\.[a-z_]\w+"
    r"|\bkey_by|\bassign_timestamps_and_watermarks|\bplot_windows)\("
)


def code_in_errors():
    """Every call that a text in the sources names, with the name of the file."""
    return {(path.name, call) for path in SOURCES for text in _texts(path) for call in CALL.findall(text)}


def _texts(path):
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        tree = ast.parse(source)
        nodes = (ast.Module, ast.ClassDef, ast.FunctionDef)
        docstrings = {
            id(n.body[0].value) for n in ast.walk(tree) if isinstance(n, nodes) and _has_docstring(n)
        }
        constants = (n for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str))
        return [n.value for n in constants if id(n) not in docstrings]
    source = re.sub(r"/\*.*?\*/", "", source, flags=re.DOTALL)
    source = re.sub(r"(?m)^\s*//.*$", "", source)
    return [text.replace('\\"', '"') for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', source)]


def _has_docstring(node):
    return bool(node.body) and isinstance(node.body[0], ast.Expr)


@dataclass(frozen=True)
class Remedy:
    """A refusal and what it says to type. `wrong` and `right` take the data; `right` gives rows."""

    name: str
    of: dict[str, str]  # calls by file, apart by blanks
    wrong: Callable
    said: str
    right: Callable
    rows: object


class Data:
    """Clicks of the user a at 1 and 4 s for 3 and 4, and of B at 2 s for 7; static, and a stream of that shape."""

    def __init__(self, spark):
        self.spark = spark
        rows = [("a", 3, 1), ("B", 7, 2), ("a", 4, 4)]
        self.plain = spark.createDataFrame(rows, "user string, price int, second int")
        self.clicks = self.plain.select("user", "price", F.timestamp_seconds("second").alias("ts"))
        rate = spark.readStream.format("rate").load()
        self.stream = rate.select(
            F.lit("a").alias("user"),
            F.col("value").cast("int").alias("price"),
            F.col("timestamp").alias("ts"),
        )

    def windows(self, df=None, *keys, time="ts"):
        df = self.clicks if df is None else df
        return sw.key_by(df, *(keys or ("user",)), time=time).time_window("10 seconds")


def values(result, *columns):
    return sorted(tuple(row) for row in result.select(*columns).collect())


def total(windows):
    return values(windows.aggregate(F.sum("price").alias("s")), "s")


def simulated(result, *columns):
    """What a stream would give for the clicks of a."""
    steps = [sim.element(user="a", price=3, ts=1000), sim.element(user="a", price=4, ts=4000), sim.end()]
    return [tuple(row[c] for c in columns) for step in sw.simulate(result, steps).steps for row in step.main]


def count(windows):
    return windows.aggregate(F.count("*").alias("n"))


def with_setting(d, name, value):
    d.spark.conf.set(name, value)
    try:
        return total(d.windows())
    finally:
        d.spark.conf.unset(name)


BOTH = [(7,), (7,)]
JSON = r'use e\.g\. F\.to_json\("k"\) as key'
REMEDIES = [
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
        r"write F\.size\(F\.collect_set\(user\)\) .* or F\.approx_count_distinct\(user\)",
        lambda d: values(
            d.windows(None, F.lit(1).alias("k")).aggregate(
                F.size(F.collect_set("user")).alias("n"), F.approx_count_distinct("user").alias("m")
            ),
            "n",
            "m",
        ),
        [(2, 2)],
    ),
    Remedy(
        "a sum of different values",
        {"AggregateRefusals.scala": "F.aggregate( F.lit("},
        lambda d: d.windows().aggregate(F.sum_distinct("price")),
        r"F\.aggregate\(F\.collect_set\(price\), F\.lit\(0\)\.cast\(\.\.\), lambda all, one: all \+ one\)",
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
        "no aggregate at all",
        {"_windowed.py": ".aggregate( F.count("},
        lambda d: d.windows().aggregate(),
        r'\.aggregate\(F\.count\("\*"\)\.alias\("count"\)\)',
        lambda d: values(d.windows().aggregate(F.count("*").alias("count")), "count"),
        [(1,), (2,)],
    ),
    Remedy(
        "an aggregate as text",
        {"_windowed.py": "F.sum("},
        lambda d: d.windows().aggregate("sum(price)"),
        r'F\.sum\("price"\)\.alias\("spent"\)',
        lambda d: values(d.windows().aggregate(F.sum("price").alias("spent")), "spent"),
        BOTH,
    ),
    Remedy(
        "a method of grouped data",
        {"_guidance.py": ".aggregate( F.avg( F.count( F.max( F.min( F.sum("},
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
    Remedy(
        "a keyed stream without a window",
        {"_guidance.py": ".window( sw.TumblingEventTimeWindows.of("},
        lambda d: sw.key_by(d.clicks, "user", time="ts").sum(),
        r'\.window\(sw\.TumblingEventTimeWindows\.of\("5 minutes"\)\)\.aggregate\(F\.sum',
        lambda d: total(
            sw.key_by(d.clicks, "user", time="ts").window(sw.TumblingEventTimeWindows.of("5 minutes"))
        ),
        BOTH,
    ),
    Remedy(
        "the trigger of a query given to a window",
        {"_guidance.py": ".trigger( sw.CountTrigger.of( result.writeStream.trigger("},
        lambda d: d.windows().trigger(availableNow=True),
        r"result\.writeStream\.trigger\(availableNow=True\).*\.trigger\(sw\.CountTrigger\.of\(100\)\)",
        lambda d: (
            d.windows(d.stream.withWatermark("ts", "0 seconds"))
            .aggregate(F.count("*"))
            .writeStream.trigger(availableNow=True)
            and total(d.windows().trigger(sw.CountTrigger.of(1)))
        ),
        [(3,), (7,), (7,)],
    ),
    Remedy(
        "a gap that is no interval",
        {"ColumnGap.scala": "F.make_dt_interval("},
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
    *(
        Remedy(
            f"a gap that is null, of {kind}",
            {"ColumnGap.scala": "F.coalesce( F.lit( F.make_interval("},
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
    Remedy(
        "windows that are no array of structs",
        {"ColumnAssigner.scala": "F.array( F.struct("},
        lambda d: (
            sw.key_by(d.clicks, "user", time="ts")
            .window(sw.ColumnAssigner.of("struct(ts, ts)"))
            .aggregate(F.count("*"))
        ),
        r'F\.array\(F\.struct\("start", "end"\)\)',
        lambda d: total(
            sw.key_by(
                d.clicks.withColumns(
                    {"start": F.timestamp_seconds(F.lit(0)), "end": F.timestamp_seconds(F.lit(9))}
                ),
                "user",
                time="ts",
            ).window(sw.ColumnAssigner.of(F.array(F.struct("start", "end"))))
        ),
        BOTH,
    ),
    *(
        Remedy(
            f"a key of {kind}",
            {"Columns.scala": "F.to_json( F.col( .cast("},
            lambda d, key=key: count(d.windows(d.clicks.withColumn("k", F.expr(key)), "k")),
            said,
            lambda d, key=key, to=to: total(
                d.windows(d.clicks.withColumn("k", F.expr(key)), to().alias("k"))
            ),
            BOTH,
        )
        for kind, key, to, said in (
            ("a map", "map(user, 1)", lambda: F.to_json("k"), JSON),
            ("structs of maps", "array(struct(map(user, 1) as m))", lambda: F.to_json("k"), JSON),
            ("a variant", "parse_json(to_json(struct(user)))", lambda: F.to_json("k"), JSON),
            (
                "INTERVAL",
                "make_interval(0, 0, 0, 0, 0, 0, if(user = 'a', 1, 2))",
                lambda: F.col("k").cast("string"),
                r'F\.col\("k"\)\.cast\("string"\) as key',
            ),
        )
    ),
    *(
        Remedy(
            f"a key whose collation is not binary, {name}",
            {"Columns.scala": "F.lower( F.collate("},
            lambda d: count(d.windows(d.clicks.withColumn("k", F.collate("user", "UTF8_LCASE")), "k")),
            r'use F\.collate\("k", "UTF8_BINARY"\) as key, of F\.lower\("k"\)',
            lambda d, key=key: total(
                d.windows(d.clicks.withColumn("k", F.collate("user", "UTF8_LCASE")), key("k").alias("k"))
            ),
            BOTH,
        )
        for name, key in {
            "in lower case": lambda k: F.collate(F.lower(k), "UTF8_BINARY"),
            "as it is": lambda k: F.collate(k, "UTF8_BINARY"),
        }.items()
    ),
    Remedy(
        "a trigger for the end of a stream",
        {"EndlessTriggers.scala": ".trigger("},
        lambda d: (
            count(sw.key_by(d.stream, "user").window(sw.GlobalWindows.create_with_end_of_stream_trigger()))
            .writeStream.format("noop")
            .start()
            .processAllAvailable()
        ),
        r"\.trigger\(CountTrigger\.of\(100\)\)",
        lambda d: simulated(
            count(
                sw.key_by(d.stream, "user").window(sw.GlobalWindows.create()).trigger(sw.CountTrigger.of(2))
            ),
            "n",
        ),
        [(2,)],
    ),
    *(
        Remedy(
            f"a time that is {unit}",
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
            ("seconds", "bigint(second)", F.timestamp_seconds),
        )
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
        "a time that the watermark is not on",
        {"EventTimeColumn.scala": "df.withWatermark("},
        lambda d: count(
            d.windows(d.stream.withColumn("other", F.col("ts")).withWatermark("other", "1 second"), time="ts")
        ),
        r'df\.withWatermark\("ts", "10 seconds"\)',
        lambda d: simulated(count(d.windows(d.stream.withWatermark("ts", "10 seconds"))), "n"),
        [(2,)],
    ),
    Remedy(
        "a stream without a watermark",
        {"WindowedStream.scala": "df.withWatermark("},
        lambda d: count(sw.key_by(d.stream, "user").time_window("10 seconds")),
        r'df\.withWatermark\("ts", "10 seconds"\) before key_by',
        lambda d: simulated(
            count(sw.key_by(d.stream.withWatermark("ts", "10 seconds"), "user").time_window("10 seconds")),
            "n",
        ),
        [(2,)],
    ),
    Remedy(
        "a static frame without a time",
        {"WindowedStream.scala": "key_by(", "EventTimeColumn.scala": "key_by("},
        lambda d: count(sw.key_by(d.clicks, "user").time_window("10 seconds")),
        r'key_by\(df, \.\., time="ts"\)',
        lambda d: total(sw.key_by(d.clicks, "user", time="ts").time_window("10 seconds")),
        BOTH,
    ),
    Remedy(
        "a fast path that is no truth value",
        {"InputPath.scala": "spark.conf.set("},
        lambda d: with_setting(d, "spark.windowing.fastPath", "yes"),
        r'spark\.conf\.set\("spark\.windowing\.fastPath", "true"\)',
        lambda d: with_setting(d, "spark.windowing.fastPath", "true"),
        BOTH,
    ),
    Remedy(
        "a limit that is no number of bytes",
        {"StateLimits.scala": "spark.conf.set("},
        lambda d: started(d, "much"),
        r'spark\.conf\.set\("spark\.windowing\.state\.maxBytes", "64m"\)',
        lambda d: started(d, "64m"),
        "ran",
    ),
    Remedy(
        "two columns of one name",
        {"OutputLayout.scala": ".alias("},
        lambda d: d.windows().aggregate(F.sum("price").alias("user")),
        r"an aggregate by \.alias\(\.\.\)",
        lambda d: values(d.windows().aggregate(F.sum("price").alias("spent")), "spent"),
        BOTH,
    ),
    Remedy(
        "a column of a record that is named as the window is",
        {"OutputLayout.scala": "df.withColumnRenamed("},
        lambda d: d.windows(d.clicks.withColumnRenamed("price", "window")).max("window"),
        r'df\.withColumnRenamed\("window", "input_window"\)',
        lambda d: values(
            d.windows(
                d.clicks.withColumnRenamed("price", "window").withColumnRenamed("window", "input_window")
            ).max("input_window"),
            "input_window",
        ),
        [(4,), (7,)],
    ),
    Remedy(
        "a side output that is not there",
        {"SideOutputs.scala": ".side_output_late_data( .aggregate("},
        lambda d: sw.side_output(count(d.windows()), "late"),
        r'\.side_output_late_data\("late"\) before \.aggregate\(\.\.\)',
        lambda d: values(sw.side_output(count(d.windows().side_output_late_data("late")), "late"), "price"),
        [],
    ),
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
        "a timestamp assigner that gives text",
        {"TimestampColumn.scala": "F.expr( F.to_timestamp("},
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
        "idleness on a stream",
        {"TimestampsAndWatermarks.scala": "spark.conf.set("},
        lambda d: sw.assign_timestamps_and_watermarks(d.stream, MONOTONOUS.with_idleness("1 s"), time="ts"),
        r'spark\.conf\.set\("spark\.sql\.streaming\.multipleWatermarkPolicy", "max"\)',
        lambda d: simulated(
            count(
                sw.key_by(
                    sw.assign_timestamps_and_watermarks(d.stream.union(d.stream), MONOTONOUS, time="ts"),
                    "user",
                ).time_window("10 seconds")
            ),
            "n",
        ),
        [(2,)],
    ),
    Remedy(
        "a condition where there are Columns",
        {"_calls.py": "F.when("},
        lambda d: d.windows().reduce(lambda a, b: a if a["price"] > b["price"] else b),
        r"write F\.when\(condition, x\)\.otherwise\(y\) in place of if",
        lambda d: values(
            d.windows().reduce(lambda a, b: F.when(a["price"] > b["price"], a).otherwise(b)), "price"
        ),
        [(4,), (7,)],
    ),
    Remedy(
        "a function of Columns that gives none",
        {"_door.py": "F.lit( F.struct("},
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
        {"_column_triggers.py": "sw.Answer("},
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
        "a function of windows that gives no frame",
        {"_stage.py": "pd.DataFrame("},
        lambda d: values(d.windows().process(lambda key, context, rows: len(rows), "n long"), "n"),
        r"pd\.DataFrame\(\{'n': \[\.\.\]\}\)",
        lambda d: values(
            d.windows().process(lambda key, context, rows: pd.DataFrame({"n": [len(rows)]}), "n long"), "n"
        ),
        [(1,), (2,)],
    ),
    Remedy(
        "a moment that is a number",
        {"_stage.py": "pd.to_datetime("},
        lambda d: values(
            d.windows().process(lambda key, context, rows: pd.DataFrame({"at": [5000]}), "at timestamp"), "at"
        ),
        r'pd\.to_datetime\(\.\., unit="ms"\)',
        lambda d: values(
            d.windows()
            .process(
                lambda key, context, rows: pd.DataFrame({"at": pd.to_datetime([5000], unit="ms")}),
                "at timestamp",
            )
            .select(F.unix_millis("at").alias("at")),
            "at",
        ),
        [(5000,), (5000,)],
    ),
    Remedy(
        "a write of each output that is no result of all",
        {"_for_each.py": "sw.all_outputs( sw.for_each_output("},
        lambda d: sw.for_each_output(main=lambda rows, batch: None)(count(d.windows()), 0),
        r"sw\.all_outputs\(result\)\.writeStream\.foreachBatch\(sw\.for_each_output\(main=write\)\)",
        lambda d: written(sw.all_outputs(count(d.windows().side_output_late_data("late")))),
        [(1,), (2,)],
    ),
    Remedy(
        "a picture of too many rows",
        {"of_windows.py": "df.where("},
        lambda d: sw.plot_windows(many(d)),
        r"df\.where\(\.\.\)",
        lambda d: sw.plot_windows(many(d).where("k = 1")) and values(many(d).where("k = 1"), "n"),
        [(1,)],
    ),
]

# Places and why no case follows them.
NOT_RUN = {
    "of the set-up, followed by test_spark_setup.py, test_spark_refusals.py and test_spark_workers.py": {
        "_session.py": ".remote( SparkSession.builder.getOrCreate( SparkSession.builder.master(",
        "_setup.py": ".remote(",
        "_doctor.py": "sw.configure(",
        "_versions.py": "spark.stop(",
    },
    "of a jar of the user's, followed by test_spark_jvm.py": {
        "RowParts.scala": ".config( SparkSession.builder.config( sw.configure(",
    },
    "needs Delta Lake, followed by tests/delta": {
        "WindowColumns.scala": ".with_pane( .aggregate(",
        "table.py": ".config(",
        "upsert.py": "result.writeStream.foreachBatch( rows.union( sw.all_outputs( sw.for_each_output( sw.upsert_to_delta(",
    },
    "of a checkpoint, followed by StateChangeSpec": {
        "SpecificationFile.scala": ".allowStateChange( .allow_state_change( key_by(",
    },
    "says where the call comes from that is to be given back as it is": {"Simulation.scala": ".aggregate("},
    "no case can come there: Python refuses it before": {"AggregateRefusals.scala": "F.count("},
    "followed by test_own_parts.py": {
        "_assigners.py": ".window( sw.ColumnAssigner.of( sw.jvm(",
        "_evictors.py": ".evictor( sw.ColumnEvictor.keep( sw.jvm(",
        "_functions.py": ".aggregate( sw.AggregateFunction( sw.jvm(",
        "_triggers.py": ".trigger( sw.ColumnTrigger.of( sw.ColumnTrigger.when( sw.jvm(",
    },
    "shows a value, no error": {"_keyed.py": "key_by(", "_sessions.py": ".with_dynamic_gap("},
    "a query that writes to memory, followed by test_spark_pictures.py": {
        "of_windows.py": "df.writeStream.format( plot_windows( spark.table(",
    },
    "of a query that starts, followed by ResultTimeSpec and StartSpec": {
        "ResultTime.scala": "df.withWatermark(",
        "SessionSettings.scala": "spark.conf.set(",
    },
    "code, no text": {"ColumnBinder.scala": "df.columns.mkString("},
}

MONOTONOUS = sw.WatermarkStrategy.for_monotonous_timestamps()
SUM = sw.AggregateFunction(
    create_accumulator="struct(0 as s)", add="struct(acc.s + row.price as s)", get_result="struct(acc.s as s)"
)


def assigned(d, assigner, **time):
    frame = sw.assign_timestamps_and_watermarks(d.plain, MONOTONOUS.with_timestamp_assigner(assigner), **time)
    return values(count(sw.key_by(frame, "user").time_window("10 seconds")), "n")


def by_gap(d, gap):
    frame = d.clicks.withColumn("gap", gap)
    return sw.key_by(frame, "user", time="ts").window(sw.EventTimeSessionWindows.with_dynamic_gap("gap"))


def started(d, limit):
    """Run a stream with a limit of the state."""
    d.spark.conf.set("spark.windowing.state.maxBytes", limit)
    try:
        query = count(d.windows(d.stream.withWatermark("ts", "0 seconds"))).writeStream.format("noop").start()
        try:
            query.processAllAvailable()
        finally:
            query.stop()
    finally:
        d.spark.conf.unset("spark.windowing.state.maxBytes")
    return "ran"


def many(d):
    rows = d.spark.range(1001).select(F.col("id").alias("k"), F.timestamp_seconds("id").alias("ts"))
    return count(sw.key_by(rows, "k", time="ts").time_window("10 seconds"))


def written(outputs):
    found = []
    sw.for_each_output(main=lambda rows, batch: found.extend(values(rows, "n")))(outputs, 0)
    return found
