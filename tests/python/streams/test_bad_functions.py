"""Functions of windows that cannot work: each is refused where it is declared, with argument, what came, what to write."""

from __future__ import annotations

import re

import pandas as pd
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import Window
from pyspark.sql import functions as F

import spark_windowing as sw
from both_sessions import ended

pytestmark = pytest.mark.spark

N = "struct(0 as n)"
UP = "struct(acc.n + 1 as n)"


@pytest.fixture
def tens(clicks):
    """Clicks of user string, price int, ts timestamp in windows of ten seconds."""
    return sw.key_by(clicks, "user", time="ts").time_window("10 seconds")


def own(**parts):
    """Count the rows, but for the parts that are given."""
    whole = {"create_accumulator": N, "add": UP, "merge": "struct(a.n + b.n as n)", "get_result": "acc"}
    return lambda w: w.aggregate(sw.AggregateFunction(**{**whole, **parts}))


def asked(**answers):
    """Count behind a ColumnTrigger."""
    return lambda w: w.trigger(sw.ColumnTrigger.of(**answers)).aggregate(F.count("*"))


def remembers(initial=N, update="struct(state.n + 1 as n)"):
    """Call a function with a state of the key."""
    return lambda w: w.process(one, "n int", global_state=sw.ColumnState.of(initial, update))


def one(key, context, elements):
    return pd.DataFrame({"n": [1]})


def mean(values: pd.Series) -> float:
    return values.mean()


COLUMNS = {
    # A column that is not there.
    "sum": (
        lambda w: w.sum("prise"),
        "sum: there is no column 'prise' in the input (columns: user, price, ts)",
    ),
    "min_by": (lambda w: w.min_by("prise"), "min_by: there is no column 'prise' in the input"),
    "reduce": (
        lambda w: w.reduce(lambda a, b: F.struct(a["user"], a["ts"], b["prise"].alias("price"))),
        "reduce knows no field `prise`: there are `user`, `price`, `ts`",
    ),
    "reduce, no struct": (
        lambda w: w.reduce(lambda a, b: F.struct(a["user"], a["ts"], F.col("price"))),
        'reduce knows no column `price`: it is an expression over b, a; write b["price"] or a["price"]',
    ),
    "add": (
        own(add=lambda acc, row: F.struct((acc["n"] + row["prise"]).alias("n"))),
        "AggregateFunction: add knows no field `prise`: there are `user`, `price`, `ts`",
    ),
    "merge": (own(merge="struct(a.m as n)"), "AggregateFunction: merge knows no field `m`: there are `n`"),
    "get_result": (
        own(get_result=lambda acc: acc["m"]),
        "AggregateFunction: get_result knows no field `m`: there are `n`",
    ),
    "create_accumulator": (
        own(create_accumulator="struct(price as n)"),
        "create_accumulator knows no column `price`: it is an expression over constants alone",
    ),
    "ColumnTrigger": (
        asked(on_element=lambda element: sw.Answer(fire=element["prise"] > 3)),
        "ColumnTrigger: fire of on_element knows no field `prise`: there are `user`, `price`, `ts`",
    ),
    "ColumnTrigger's state": (
        asked(state=N, on_element=lambda state: sw.Answer(fire=state["m"] > 3)),
        "ColumnTrigger: fire of on_element knows no field `m`: there are `n`",
    ),
    "ColumnTrigger.when": (
        lambda w: w.trigger(sw.ColumnTrigger.when("prise > 3")).aggregate(F.count("*")),
        "ColumnTrigger.when knows no column `prise`: it is an expression over the columns of the input (user, price, ts)",
    ),
    "ColumnState": (
        remembers(update="struct(state.m as n)"),
        "global_state: update knows no field `m`: there are `n`",
    ),
    "ColumnState's result": (
        lambda w: w.aggregate(
            F.count("*").alias("c"),
            process=one,
            schema="n int",
            global_state=sw.ColumnState.of(N, "struct(result.x as n)"),
        ),
        "global_state: update knows no field `x`: there are `c`",
    ),
    # A type that does not go.
    "sum of a text": (lambda w: w.sum("user"), "sum takes a column of numbers, got 'user' of type STRING"),
    "operands": (
        own(add=lambda acc, row: F.struct((acc["n"] + F.array(row["price"])).alias("n"))),
        'AggregateFunction: add: Cannot resolve "(acc.n + array(row.price))" due to data type mismatch',
    ),
    "accumulator that changes": (
        own(create_accumulator="struct('' as n)", add="struct(1L as n)"),
        "create_accumulator gives 'n' as STRING, and what add gives has it as BIGINT: cast it, e.g. .cast(\"bigint\")",
    ),
    "accumulator that grows": (
        own(create_accumulator="struct(0.0 as n)", add="struct(acc.n + 0.1 as n)"),
        "add gives 'n' as DECIMAL(3,1), and its accumulator has it as DECIMAL(2,1): cast it",
    ),
    "no struct": (
        own(create_accumulator=lambda: F.lit(0)),
        'create_accumulator must give a struct, got INT: F.struct(value.alias("name"), ..)',
    ),
    # No Column, or no function of these Columns.
    "create_accumulator gives": (
        own(create_accumulator=lambda: 0),
        "create_accumulator must return a Column, as",
    ),
    "add gives": (
        own(add=lambda acc, row: None),
        "AggregateFunction: add must return a Column, as F.lit(0) and",
    ),
    "merge gives": (own(merge=lambda a, b: (a, b)), "AggregateFunction: merge must return a Column, as"),
    "get_result gives": (
        own(get_result=lambda acc: 3),
        "get_result must return a Column, as F.lit(0) and F.struct(..) are, got 3",
    ),
    "reduce gives": (
        lambda w: w.reduce(lambda a, b: None),
        "reduce must return a Column, as F.lit(0) and F.struct(..) are, got None",
    ),
    "initial gives": (remembers(initial=lambda: 3), "ColumnState: initial must return a Column, as"),
    "update gives": (remembers(update=lambda s, r: None), "ColumnState: update must return a Column, as"),
    "state gives": (
        asked(state=lambda: 3, on_element=sw.Answer(fire=True)),
        "ColumnTrigger: state must return a Column, as",
    ),
    "on_element gives": (
        asked(on_element=lambda element: element["price"] > 3),
        "ColumnTrigger: on_element must return an Answer, sw.Answer(fire=..), got Column<",
    ),
    "Answer of": (
        asked(on_element=lambda element: sw.Answer(fire=3)),
        "ColumnTrigger: on_element failed when it was called with Columns: TypeError: Answer: fire must be SQL text or a Column",
    ),
    "if": (
        lambda w: w.reduce(lambda a, b: a if a["price"] > b["price"] else b),
        "reduce failed when it was called with Columns (it is called once, with Columns: write F.when(condition, x)",
    ),
    "method of a Column": (
        own(add=lambda acc, row: F.struct((acc.name + 1).alias("n"))),
        'add failed when it was called with Columns (some names are methods of a Column: write row["name"]',
    ),
    "create_accumulator takes": (
        own(create_accumulator=lambda x: x),
        "create_accumulator must take what it is called with, one of none, got <lambda>(x)",
    ),
    "add takes": (
        own(add=lambda acc: acc),
        "add must take what it is called with, a function of 2 (acc, row), got <lambda>(acc)",
    ),
    "merge takes": (
        own(merge=lambda a: a),
        "merge must take what it is called with, a function of 2 (a, b), got <lambda>(a)",
    ),
    "get_result takes": (
        own(get_result=lambda: 0),
        "get_result must take what it is called with, a function of 1 (acc), got <lambda>()",
    ),
    "reduce takes": (
        lambda w: w.reduce(lambda a: a),
        "reduce must take what it is called with, a function of 2 (a, b)",
    ),
    "update takes": (
        remembers(update=lambda s: s),
        "ColumnState: update must take what it is called with, a function of 2",
    ),
    "on_element takes": (
        asked(on_element=lambda row: sw.Answer()),
        "on_element takes columns by their names, any of state, element",
    ),
    "on_element takes /": (
        asked(on_element=lambda element, /: sw.Answer(fire=element)),
        "on_element takes columns by their names, got <lambda>(element, /): take the / away",
    ),
    "on_element takes a state": (
        asked(on_element=lambda state: sw.Answer()),
        "on_element takes state, and the trigger has none: add state=, a struct of constants",
    ),
    "SQL": (
        lambda w: w.reduce("struct(a.user,"),
        "reduce: Spark cannot read 'struct(a.user,': Syntax error at or near end",
    ),
    # Aggregates.
    "nested": (
        lambda w: w.aggregate(F.count("*"), F.sum(F.sum("price"))),
        "aggregate: sum(sum(price)) is an aggregate of an aggregate: aggregate the result again, in windows",
    ),
    "no aggregate": (
        lambda w: w.aggregate(F.count("*"), F.col("price").alias("p")),
        "aggregate: column 'p' is no aggregate: wrap it in F.first(..) or another aggregate, or add it to the keys",
    ),
    "name": (
        lambda w: w.aggregate("price"),
        "aggregate: column 'price' is no aggregate: wrap it in F.first(..)",
    ),
    "number": (
        lambda w: w.aggregate(5),
        'aggregate takes Columns such as F.sum("price").alias("spent"), SQL text such as "sum(price) AS spent", or one dict',
    ),
    "DISTINCT": (
        lambda w: w.aggregate(F.count_distinct("price")),
        'count(DISTINCT price) is DISTINCT, which no buffer can keep: write F.size(F.collect_set("price"))',
    ),
    "sum of DISTINCT": (
        lambda w: w.aggregate(F.sum_distinct("price")),
        'sum(DISTINCT price) is DISTINCT, which no buffer can keep: add up a set, F.aggregate(F.collect_set("price")',
    ),
    "aggregate in Python": (
        lambda w: w.aggregate(F.pandas_udf(mean, "double")("price")),
        (
            "aggregate: mean(price) is an aggregate in Python, which has no buffer to keep: use Spark's own functions; or "
            "take pandas_udf(..) away from mean and write, in place of aggregate, .apply(lambda key, window, rows: "
            'pd.DataFrame({"mean": [mean(rows["price"])]}), "mean double"), which gets all rows of a window'
        ),
    ),
    "function in Python": (
        lambda w: w.aggregate(F.udf(lambda v: v, "int")("price")),
        "aggregate: column '<lambda>(price)' is no aggregate: wrap it",
    ),
    "subquery": (
        lambda w: w.aggregate((F.sum("price") + F.expr("(select max(id) from range(3))")).alias("x")),
        "aggregate: column 'x' contains a subquery: join what it reads before the window",
    ),
    "window function": (
        lambda w: w.aggregate(F.sum("price").over(Window.partitionBy("user"))),
        "is a window function (OVER): write the plain aggregate: the window is that of window(..)",
    ),
    "two columns of a name": (
        lambda w: w.aggregate(F.sum("price").alias("x"), F.min("price").alias("x")),
        "two columns 'x': a result and a result. Give one of them another name: a key or an aggregate by .alias(..)",
    ),
    # Functions in Python, before they run.
    "process takes": (
        lambda w: w.process(lambda key, elements: elements, "n int"),
        "process must take what it is called with, a function of 3 (key, context, elements), got <lambda>(key, elements)",
    ),
    "apply takes": (
        lambda w: w.apply(lambda rows: rows, "n int"),
        "apply must take what it is called with, a function of 3 (key, window, elements)",
    ),
    "process= takes": (
        lambda w: w.aggregate(F.count("*"), process=lambda key: key, schema="n int"),
        "aggregate: process must take what it is called with, a function of 3",
    ),
    "schema": (
        lambda w: w.process(one, ["n"]),
        "process: schema must be DDL such as \"total long\" or a StructType, got ['n']",
    ),
    "type in schema": (
        lambda w: w.process(one, "n integerr"),
        "process: schema: Spark cannot read 'n integerr': Unsupported data type \"INTEGERR\"",
    ),
    "side outputs": (
        lambda w: w.process(one, "n int", side_outputs=["big"]),
        "side_outputs must be a dict such as",
    ),
    "tag": (
        lambda w: w.process(one, "n int", side_outputs={3: "n int"}),
        "process: the tag of a side output is a text, got 3",
    ),
    "empty tag": (
        lambda w: w.process(one, "n int", side_outputs={"": "n int"}),
        "the tag of a side output must not be ''",
    ),
    "tag main": (
        lambda w: w.process(one, "n int", side_outputs={"main": "n int"}),
        "the tag of a side output must not be 'main'",
    ),
    "tag output": (
        lambda w: ended(w.side_output_late_data("output")),
        "the tag of a side output must not be 'output': give it a name",
    ),
    "schema of a tag": (
        lambda w: w.process(one, "n int", side_outputs={"big": 3}),
        "process: side_outputs['big'] must be DDL such as",
    ),
    "unknown output": (
        lambda w: sw.side_output(w.process(one, "n int"), "big"),
        (
            "the result has no side output 'big': declare it with .side_output_late_data(\"big\") before "
            '.aggregate(..), or for what a function puts out with side_outputs={"big": schema}'
        ),
    ),
    "no name of an output": (
        lambda w: sw.side_output(w.process(one, "n int"), 3),
        "side_output takes the name of a side output, got 3",
    ),
    "window_state": (
        lambda w: w.process(one, "n int", window_state=N),
        "process: window_state must be a ColumnState.of(..), got 'struct",
    ),
}


@pytest.mark.parametrize("case", COLUMNS)
def test_it_is_refused_when_it_is_declared(tens, case):
    declare, message = COLUMNS[case]
    with pytest.raises((TypeError, ValueError)) as raised:
        declare(tens)
    text = str(raised.value)
    assert message in text
    assert text.index(message) < 60
    assert "\n" not in text
    assert "#" not in text


def test_columns_of_aggregates_that_are_not_there_are_left_to_spark(tens):
    with pytest.raises(
        AnalysisException, match=r"`prise` cannot be resolved. Did you mean .* \[`price`, `ts`, `user`\]"
    ):
        tens.aggregate(F.sum("prise"))
    with pytest.raises(AnalysisException, match=r'"sum\(array\(price\)\)" due to data type mismatch'):
        tens.aggregate(F.sum(F.array("price")))


def test_sessions_have_no_state_of_their_own(clicks):
    sessions = sw.key_by(clicks, "user", time="ts").window(sw.EventTimeSessionWindows.with_gap("5 seconds"))
    state = sw.ColumnState.of(N, "state")
    for declare in (
        lambda: sessions.process(one, "n int", window_state=state),
        lambda: sessions.aggregate(F.count("*"), process=one, schema="n int", window_state=state),
    ):
        with pytest.raises(
            ValueError, match=r"^window_state: the windows of .* merge, .*: use global_state$"
        ):
            declare()


@pytest.mark.parametrize("name", ["window", "pane"])
def test_a_column_of_the_input_that_the_result_has_too_is_renamed_before_key_by(clicks, name):
    def windows(df):
        made = sw.key_by(df, "user", time="ts").time_window("10 seconds")
        return made.with_pane() if name == "pane" else made

    odd = clicks.withColumnRenamed("price", name)
    for call in (lambda w: w.reduce(lambda a, b: a), lambda w: w.sum(name), lambda w: w.min_by("ts")):
        with pytest.raises(
            ValueError, match=rf'before key_by, df.withColumnRenamed\("{name}", "input_{name}"\)$'
        ):
            call(windows(odd))
    renamed = windows(odd.withColumnRenamed(name, f"input_{name}")).sum(f"input_{name}")
    assert sorted(row[f"input_{name}"] for row in renamed.collect()) == [5, 7, 7]
    keys = ["user", "window", *(["pane"] if name == "pane" else [])]
    assert windows(odd).process(one, "n int").columns == [*keys, "n"]


@pytest.mark.parametrize(
    ("values", "n"),
    [
        (["price"], 3),
        (["nullif(price, 4)", "user LIKE 'a%'"], 2),
        ([r"regexp_replace(concat(user, '\"', price), '\\d', 'x')"], 1),
    ],
)
def test_the_code_for_a_count_of_different_values_counts_them(clicks, values, n):
    windows = sw.key_by(clicks, "user", time="ts").time_window("1 hour")
    distinct = F.count_distinct(*map(F.expr, values))
    with pytest.raises(ValueError, match="is DISTINCT") as error:
        windows.aggregate(distinct)
    code = re.search(r"write (F\.size.*) for the exact count or (.*) for an estimate", str(error.value))
    exact, estimate = (eval(text, {"F": F}) for text in code.groups())
    row = windows.aggregate(exact.alias("exact"), estimate.alias("estimate")).where("user = 'a'").first()
    assert (row.exact, row.estimate) == (n, n)
    assert clicks.where("user = 'a'").agg(distinct.alias("n")).first().n == n
