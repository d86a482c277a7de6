"""Steps of a declaration, outputs and settings."""

import pandas as pd
from pyspark.sql import functions as F

import spark_windowing as sw
from remedies.case import (
    BOTH,
    Remedy,
    count,
    declared,
    many,
    simulated,
    started,
    total,
    triggered,
    values,
    with_setting,
    written,
)

TEN = sw.TumblingEventTimeWindows.of("10 seconds")

CASES = [
    Remedy(
        "a keyed stream without a window",
        {"guidance.py": ".window( sw.TumblingEventTimeWindows.of("},
        lambda d: sw.key_by(d.clicks, "user", time="ts").sum(),
        r'\.window\(sw\.TumblingEventTimeWindows\.of\("5 minutes"\)\)\.aggregate\(F\.sum',
        lambda d: total(
            sw.key_by(d.clicks, "user", time="ts").window(sw.TumblingEventTimeWindows.of("5 minutes"))
        ),
        BOTH,
    ),
    Remedy(
        "a transform of keys alone",
        {"keyed.py": ".window( sw.TumblingEventTimeWindows.of( F.count("},
        lambda d: d.clicks.transform(sw.keyed("user", time="ts")),
        r'\.window\(sw\.TumblingEventTimeWindows\.of\("5 minutes"\)\)\.aggregate\(F\.count',
        lambda d: values(
            d.clicks.transform(
                sw.keyed("user", time="ts")
                .window(sw.TumblingEventTimeWindows.of("5 minutes"))
                .aggregate(F.count("*").alias("count"))
            ),
            "count",
        ),
        [(1,), (2,)],
    ),
    Remedy(
        "a transform of windows alone",
        {"windowed.py": ".aggregate( F.count("},
        lambda d: d.clicks.transform(sw.keyed("user", time="ts").time_window("5 minutes")),
        r'end it in a function of windows, \.aggregate\(F\.count\("\*"\)\.alias\("count"\)\)',
        lambda d: values(
            d.clicks.transform(
                sw.keyed("user", time="ts").time_window("5 minutes").aggregate(F.count("*").alias("count"))
            ),
            "count",
        ),
        [(1,), (2,)],
    ),
    Remedy(
        "a column trigger called as a class",
        {"column_triggers.py": "sw.ColumnTrigger.of( sw.ColumnTrigger.when("},
        lambda d: d.windows().trigger(sw.ColumnTrigger("price > 3")),
        r'sw\.ColumnTrigger\.when\("price > 100"\), or '
        r'sw\.ColumnTrigger\.of\(on_element=sw\.Answer\(fire="element\.price > 100"\)\)',
        lambda d: [
            total(d.windows().trigger(trigger))
            for trigger in (
                sw.ColumnTrigger.when("price > 3"),
                sw.ColumnTrigger.of(on_element=sw.Answer(fire="element.price > 3")),
            )
        ],
        [BOTH, BOTH],
    ),
    Remedy(
        "the trigger of a query given to a window",
        {"guidance.py": ".trigger( sw.CountTrigger.of( result.writeStream.trigger("},
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
    Remedy(
        "the real-time trigger",
        {"RealTimeCheck.scala": ".trigger("},
        lambda d: triggered(d, realTime="5 minutes"),
        r'do not run in real-time mode, got RealTimeTrigger\(300000\) .*\.trigger\(processingTime="1 second"\)',
        lambda d: triggered(d, processingTime="1 second"),
        "runs",
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
    Remedy(
        "a fast path that is no truth value",
        {"SessionSettings.scala": "spark.conf.set("},
        lambda d: with_setting(d, "spark.windowing.fastPath", "yes"),
        r'spark\.conf\.set\("spark\.windowing\.fastPath", "true"\)',
        lambda d: with_setting(d, "spark.windowing.fastPath", "true"),
        BOTH,
    ),
    Remedy(
        "a watermark in the micro-batch that is no truth value",
        {"SessionSettings.scala": "spark.conf.set("},
        lambda d: started(d, "spark.windowing.watermarkInBatch", "yes"),
        r'spark\.conf\.set\("spark\.windowing\.watermarkInBatch", "true"\)',
        lambda d: started(d, "spark.windowing.watermarkInBatch", "true"),
        "ran",
    ),
    Remedy(
        "a window operator that there is not",
        {"OperatorSetting.scala": "spark.conf.set( spark.conf.unset("},
        lambda d: declared(d, "spark.windowing.operator", "fast"),
        r'spark\.conf\.set\("spark\.windowing\.operator", "portable"\)',
        lambda d: declared(d, "spark.windowing.operator", "portable"),
        ["user", "window", "n"],
    ),
    Remedy(
        "a limit that is no number of bytes",
        {"StateLimits.scala": "spark.conf.set("},
        lambda d: started(d, "spark.windowing.state.maxBytes", "much"),
        r'spark\.conf\.set\("spark\.windowing\.state\.maxBytes", "64m"\)',
        lambda d: started(d, "spark.windowing.state.maxBytes", "64m"),
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
        "a moment that is a number",
        {"arrow_results.py": "pd.to_datetime("},
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
        {"for_each.py": "sw.all_outputs( sw.for_each_output("},
        lambda d: sw.for_each_output(main=lambda rows, batch: None)(count(d.windows()), 0),
        r"sw\.all_outputs\(result\)\.writeStream\.foreachBatch\(sw\.for_each_output\(main=write\)\)",
        lambda d: written(sw.all_outputs(count(d.windows().side_output_late_data("late")))),
        [(1,), (2,)],
    ),
    Remedy(
        "changes of windows that fire once each",
        {"WindowRules.scala": ".changelog("},
        lambda d: (
            sw.key_by(d.clicks, "user", time="ts")
            .window(sw.OverEventTimeWindows.preceding("10 seconds"))
            .changelog()
        ),
        r"take \.changelog\(\) away, every result is a new row",
        lambda d: total(
            sw.key_by(d.clicks, "user", time="ts").window(sw.OverEventTimeWindows.preceding("10 seconds"))
        ),
        [(3,), (7,), (7,)],
    ),
    Remedy(
        "changes without those that only repeat",
        {"WindowRules.scala": ".collapse_firings("},
        lambda d: d.windows().collapse_firings().changelog(),
        r"take \.collapse_firings\(\) away, an update to an equal row changes nothing",
        lambda d: total(d.windows().changelog()),
        BOTH,
    ),
    Remedy(
        "changes of a function of all rows",
        {"Analysis.scala": ".aggregate( .reduce( .changelog("},
        lambda d: d.windows().changelog().process(lambda key, context, rows: rows[["price"]], "price int"),
        r"end the windows in \.aggregate\(\.\.\) or \.reduce\(\.\.\) alone, or take \.changelog\(\) away",
        lambda d: [
            total(d.windows().changelog()),
            values(
                d.windows().changelog().reduce("struct(a.user, a.price + b.price AS price, a.ts)"), "price"
            ),
            values(
                d.windows().process(lambda key, context, rows: rows[["price"]].head(1), "price int"), "price"
            ),
        ],
        [BOTH, BOTH, [(3,), (7,)]],
    ),
    Remedy(
        "windows without rows of a function without a result of none",
        {"Analysis.scala": ".aggregate( .fill_empty("},
        lambda d: values(d.windows().fill_empty(for_at_most="10 seconds").sum("price"), "price"),
        r"take \.aggregate\(\.\.\), whose count is 0 then and whose sum is null, or take \.fill_empty\(\) away",
        lambda d: [
            total(d.windows().fill_empty(for_at_most="10 seconds")),
            values(d.windows().sum("price"), "price"),
        ],
        [BOTH, BOTH],
    ),
    Remedy(
        "several windows, of which one is by processing time",
        {"NamedWindows.scala": ".window("},
        lambda d: d.keyed().windows(a=TEN, b=sw.TumblingProcessingTimeWindows.of("10 seconds")),
        r"take windows by event time or CountWindows, or declare these alone, by \.window\(\.\.\)",
        lambda d: [
            total(d.keyed().windows(a=TEN, b=sw.EventTimeSessionWindows.with_gap("10 seconds"))),
            total(d.keyed().window(TEN)),
        ],
        [BOTH * 2, BOTH],
    ),
    Remedy(
        "several windows and a function of their rows",
        {"Analysis.scala": ".aggregate( .reduce( .window("},
        lambda d: d.keyed().windows(a=TEN).process(lambda key, context, rows: rows[["price"]], "price int"),
        r"end them in \.aggregate\(\.\.\) or \.reduce\(\.\.\), or declare the windows of each name alone, by \.window",
        lambda d: [
            total(d.keyed().windows(a=TEN)),
            values(
                d.keyed().windows(a=TEN).reduce("struct(a.user, a.price + b.price AS price, a.ts)"), "price"
            ),
            values(
                d.keyed()
                .window(TEN)
                .process(lambda key, context, rows: rows[["price"]].head(1), "price int"),
                "price",
            ),
        ],
        [BOTH, BOTH, [(3,), (7,)]],
    ),
    Remedy(
        "what if of several windows",
        {"VariantReplay.scala": ".window("},
        lambda d: sw.what_if(sw.keyed(time="ts").windows(a=TEN).sum("price"), d.clicks, arrived="price"),
        r"ask for the windows of one name, declared alone by \.window\(\.\.\)",
        lambda d: sw.what_if(sw.keyed(time="ts").window(TEN).sum("price"), d.clicks, arrived="price").count(),
        1,
    ),
    Remedy(
        "what if of a function of Python",
        {"VariantReplay.scala": ".aggregate("},
        lambda d: sw.what_if(
            sw.keyed(time="ts").window(TEN).process(lambda key, context, rows: rows[["price"]], "price int"),
            d.clicks,
            arrived="price",
        ),
        r"end it in \.aggregate\(\.\.\), such as of count\(\*\)",
        lambda d: sw.what_if(
            sw.keyed(time="ts").window(TEN).aggregate("count(*) AS n"), d.clicks, arrived="price"
        ).count(),
        1,
    ),
    Remedy(
        "what if without windows",
        {"what_if.py": "sw.keyed( F.count("},
        lambda d: sw.what_if(sw.keyed("user", time="ts"), d.clicks, arrived="price"),
        r'such as sw\.keyed\("user", time="ts"\)\.time_window\("1 hour"\)\.aggregate\(F\.count\("\*"\)\.alias\("n"\)\)',
        lambda d: sw.what_if(
            sw.keyed("user", time="ts").time_window("1 hour").aggregate(F.count("*").alias("n")),
            d.clicks,
            arrived="price",
        ).count(),
        1,
    ),
    Remedy(
        "what if of triggers that are none",
        {"what_if.py": "sw.CountTrigger.of("},
        lambda d: sw.what_if(
            sw.keyed(time="ts").window(TEN).sum("price"), d.clicks, arrived="price", trigger=["count"]
        ),
        r"a list of triggers, such as \[sw\.CountTrigger\.of\(100\)\]",
        lambda d: sw.what_if(
            sw.keyed(time="ts").window(TEN).sum("price"),
            d.clicks,
            arrived="price",
            trigger=[sw.CountTrigger.of(100)],
        ).count(),
        1,
    ),
    Remedy(
        "why of several windows",
        {"WhyPlan.scala": ".window("},
        lambda d: sw.why(
            d.keyed().windows(a=TEN).aggregate(F.sum("price").alias("s")), {"user": "a", "price": 3}
        ),
        r"ask of the windows of one name, declared alone by \.window\(\.\.\)",
        lambda d: len(
            sw.why(
                d.keyed().window(TEN).aggregate(F.sum("price").alias("s")), {"user": "a", "price": 3}
            ).windows
        ),
        1,
    ),
    Remedy(
        "a condition over results of a function of all rows",
        {"AggregateTrigger.scala": ".aggregate("},
        lambda d: values(
            d.windows()
            .trigger(sw.AggregateTrigger.of("s > 3"))
            .process(lambda key, context, rows: rows[["price"]], "price int"),
            "price",
        ),
        r"end the windows in \.aggregate\(\.\.\), process of it too, or take a trigger of rows, ColumnTrigger\.when\(\.\.\)",
        lambda d: [
            total(d.windows().trigger(sw.AggregateTrigger.of("s > 3"))),
            total(d.windows().trigger(sw.ColumnTrigger.when("price > 3"))),
        ],
        [BOTH, BOTH],
    ),
    Remedy(
        "a condition over results of rows that an evictor leaves",
        {"WindowRules.scala": ".evictor("},
        lambda d: d.windows().trigger(sw.AggregateTrigger.of("s > 3")).evictor(sw.CountEvictor.of(1)),
        r"take \.evictor\(\) away, or take a trigger of rows, ColumnTrigger\.when\(\.\.\)",
        lambda d: total(d.windows().trigger(sw.AggregateTrigger.of("s > 3"))),
        BOTH,
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
