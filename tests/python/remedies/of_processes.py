"""Process functions of keys."""

from pyspark.sql import functions as F

import spark_windowing as sw
from remedies.case import BOTH, Remedy, values

PRICE = sw.Do(emit="struct(row.price AS p)")
PRICES = [(3,), (4,), (7,)]


def processed(d, **calls):
    return sw.key_by(d.clicks, "user", time="ts").process(sw.ColumnProcess.of(**calls))


def all_prices():
    def function(key, context, rows):
        return rows.groupby("user", as_index=False).agg(s=("price", "sum"))[["s"]]

    return function


CASES = [
    Remedy(
        "a Python function over the rows of a key",
        {"guidance.py": ".process( sw.ColumnProcess.of( sw.Do("},
        lambda d: sw.key_by(d.clicks, "user", time="ts").process(all_prices()),
        r"\.process\(sw\.ColumnProcess\.of\(state=\.\., on_element=lambda row, state: sw\.Do\(\.\.\)\)\)",
        lambda d: values(
            processed(
                d, state="struct(1 AS n)", on_element=lambda row, state: sw.Do(emit=F.struct(row.price))
            ),
            "price",
        ),
        PRICES,
    ),
    Remedy(
        "a Python function over the rows of a key, by windows",
        {"guidance.py": ".window("},
        lambda d: sw.key_by(d.clicks, "user", time="ts").applyInPandas(all_prices(), "s long"),
        r"the rows of a window: \.window\(sw\.TumblingEventTimeWindows.*\.process\(function, schema\)",
        lambda d: values(
            sw.key_by(d.clicks, "user", time="ts")
            .window(sw.TumblingEventTimeWindows.of("5 minutes"))
            .process(all_prices(), "s long"),
            "s",
        ),
        BOTH,
    ),
    Remedy(
        "a timer that nothing answers",
        {"ColumnProcess.scala": "sw.Do("},
        lambda d: processed(d, on_element=sw.Do(event_timer="row.ts")),
        r"add on_event_timer=sw\.Do\(\.\.\)",
        lambda d: values(
            processed(d, on_element=sw.Do(event_timer="row.ts"), on_event_timer=sw.Do(emit="struct(1 AS n)")),
            "n",
        ),
        [(1,), (1,)],
    ),
    Remedy(
        "a process function without a result",
        {"ProcessColumns.scala": "sw.Do( F.struct("},
        lambda d: processed(d, on_element=sw.Do()),
        r"sw\.Do\(emit=F\.struct\(\.\.\)\)",
        lambda d: values(processed(d, on_element=lambda row: sw.Do(emit=F.struct(row.price))), "price"),
        PRICES,
    ),
    Remedy(
        "a schema for columns that have one",
        {"keyed.py": "sw.Do( sw.jvm("},
        lambda d: sw.key_by(d.clicks, "user").process(sw.ColumnProcess.of(on_element=PRICE), "p int"),
        r"gives its columns by sw\.Do\(emit=\.\., side=\.\.\)",
        lambda d: values(processed(d, on_element=PRICE), "p"),
        PRICES,
    ),
    Remedy(
        "a call that returns a Column",
        {"column_process.py": "sw.Do("},
        lambda d: processed(d, on_element=lambda row: F.struct(row.price)),
        r"must return a Do, sw\.Do\(emit=\.\.\)",
        lambda d: values(processed(d, on_element=lambda row: sw.Do(emit=F.struct(row.price))), "price"),
        PRICES,
    ),
    Remedy(
        "side outputs that are no dict",
        {"column_process.py": "F.struct("},
        lambda d: sw.Do(side="late"),
        r'\{"late": F\.struct\(\.\.\)\}',
        lambda d: values(
            sw.side_output(
                processed(d, on_element=lambda row: sw.Do(emit=None, side={"late": F.struct(row.price)})),
                "late",
            ),
            "price",
        ),
        PRICES,
    ),
]
