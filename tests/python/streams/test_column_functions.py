"""Functions of windows that are written as columns: `reduce`, `AggregateFunction`, aggregates of a field."""

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from shared import second
from spark_windowing import sim

pytestmark = pytest.mark.spark


def mean_price(**parts):
    """Count and mean of the prices."""
    return sw.AggregateFunction(
        **{
            "create_accumulator": lambda: F.struct(F.lit(0).alias("n"), F.lit(0).alias("total")),
            "add": lambda acc, row: F.struct(
                (acc["n"] + 1).alias("n"), (acc["total"] + row["price"]).alias("total")
            ),
            "merge": lambda a, b: F.struct(
                (a["n"] + b["n"]).alias("n"), (a["total"] + b["total"]).alias("total")
            ),
            "get_result": lambda acc: F.struct(acc["n"], (acc["total"] / acc["n"]).alias("mean")),
            **parts,
        }
    )


def spent(a, b):
    """The older row with the price of both."""
    return F.struct(
        F.least(a["ts"], b["ts"]).alias("ts"),
        (a["price"] + b["price"]).alias("price"),
        a["user"].alias("user"),
    )


@pytest.fixture
def tens(clicks):
    """Clicks in windows of ten seconds: a 3 and 4, b 7; a 5."""
    return sw.key_by(clicks, "user", time="ts").time_window("10 seconds")


@pytest.fixture
def sessions(clicks):
    """Clicks in sessions with a gap of five seconds: a 3 and 4, a 5, b 7."""
    return sw.key_by(clicks, "user", time="ts").window(sw.EventTimeSessionWindows.with_gap("5 seconds"))


def path_of(result, capsys):
    """Return the line of explain with the path of the rows."""
    capsys.readouterr()
    sw.explain(result)
    return next(line for line in capsys.readouterr().out.splitlines() if line.startswith("path: "))


def shown(result):
    return sorted((tuple(row) for row in result.drop("window", "ts").collect()), key=repr)


def test_reduce_gives_the_columns_of_the_input(tens):
    result = tens.reduce(spent)
    assert result.columns == ["user", "window", "price", "ts"]
    assert shown(result) == [("a", 5), ("a", 7), ("b", 7)]
    assert shown(tens.reduce(lambda a, b: a)) == [("a", 3), ("a", 5), ("b", 7)]
    assert shown(tens.reduce("struct(b.user, a.price + b.price as price, b.ts)")) == shown(result)


def test_a_key_that_is_an_expression_is_shown_beside_the_row(clicks):
    keyed = sw.key_by(clicks, F.upper("user").alias("name"), time="ts").time_window("1 minute")
    assert keyed.reduce(spent).columns == ["name", "window", "user", "price", "ts"]
    assert shown(keyed.reduce(spent)) == [("A", "a", 12), ("B", "b", 7)]
    with pytest.raises(ValueError, match="two columns 'user': a key and a result"):
        sw.key_by(clicks, F.upper("user").alias("user"), time="ts").time_window("1 minute").reduce(spent)


def test_an_aggregate_function_gives_the_fields_of_its_result_or_one_column(tens):
    result = tens.aggregate(mean_price())
    assert result.columns == ["user", "window", "n", "mean"]
    assert shown(result) == [("a", 1, 5.0), ("a", 2, 3.5), ("b", 1, 7.0)]
    one = tens.aggregate(mean_price(get_result="acc.total"))
    assert one.columns == ["user", "window", "result"]
    assert shown(one) == [("a", 5), ("a", 7), ("b", 7)]


def test_a_result_that_is_null_is_no_row(tens):
    several = mean_price(get_result=lambda acc: F.when(acc["n"] > 1, acc["total"]))
    assert shown(tens.aggregate(several)) == [("a", 7)]


def test_what_is_mergeable_is_aggregated_before_the_exchange(sessions, capsys):
    for result, merged in (
        (sessions.aggregate(mean_price()), sessions.aggregate(mean_price(mergeable=True))),
        (sessions.reduce(spent), sessions.reduce(spent, mergeable=True)),
    ):
        assert path_of(result, capsys).startswith("path: row by row, since ")
        assert path_of(merged, capsys) == "path: aggregated by sessions before the exchange"
        assert shown(merged) == shown(result)
        assert len(shown(result)) == 3


@pytest.mark.parametrize("call", ["reduce", "aggregate"])
def test_a_query_declared_twice_is_the_same_query(tens, capsys, call):
    # The variables of a lambda have other names at every call, and a restart compares what is written down.
    def total(a, b):
        return F.aggregate(F.array(a["price"], b["price"]), F.lit(0), lambda s, x: s + x)

    def declare():
        if call == "reduce":
            return tens.reduce(lambda a, b: F.struct(a["user"], total(a, b).alias("price"), a["ts"]))
        own = sw.AggregateFunction(
            create_accumulator="struct(0 as price)",
            add=lambda acc, row: F.struct(total(acc, row).alias("price")),
            get_result="acc",
        )
        return tens.aggregate(own)

    said = []
    for _ in range(2):
        sw.explain(declare())
        said.append(capsys.readouterr().out)
    assert "lambda" in said[0]
    assert said[0] == said[1]


def test_sessions_that_join_merge_what_is_kept(sessions):
    at = lambda s, price: sim.element(user="a", price=price, ts=s * 1000)  # noqa: E731
    steps = [at(1, 1), at(9, 2), at(5, 4), sim.snapshot_restore(), sim.watermark(60_000)]
    (row,) = sw.simulate(sessions.aggregate(mean_price()), steps).steps[-1].main
    assert (row.n, row.mean) == (3, 7 / 3)
    (row,) = sw.simulate(sessions.reduce(spent), steps).steps[-1].main
    assert (row.price, row.ts) == (7, second(1).replace(tzinfo=None))


def test_sessions_need_a_merge(sessions, tens):
    assert shown(tens.aggregate(mean_price(merge=None))) == shown(tens.aggregate(mean_price()))
    with pytest.raises(
        ValueError, match=r"merge is missing, .*EventTimeSessionWindows.* add merge=lambda a, b:"
    ):
        sessions.aggregate(mean_price(merge=None))


def test_mergeable_is_true_or_false_and_belongs_to_columns(tens):
    with pytest.raises(TypeError, match="AggregateFunction: mergeable must be True or False, got 1"):
        mean_price(mergeable=1)
    with pytest.raises(TypeError, match="reduce: mergeable must be True or False, got 'yes'"):
        tens.reduce(spent, mergeable="yes")
    with pytest.raises(ValueError, match="mergeable=True needs merge, which is missing"):
        tens.aggregate(mean_price(merge=None, mergeable=True))
    with pytest.raises(
        ValueError, match=r"override isMergeable in the class, public boolean isMergeable\(\)"
    ):
        tens.reduce(sw.jvm("com.acme.Sum"), mergeable=True)
    assert "mergeable=True" in repr(mean_price(mergeable=True))
    assert "mergeable" not in repr(mean_price())


def test_behind_an_evictor_the_function_runs_over_what_is_left(clicks):
    fours = sw.key_by(clicks).count_window(4)
    assert shown(fours.evictor(sw.CountEvictor.of(2)).aggregate(mean_price())) == [(2, 4.5)]
    assert shown(fours.evictor(sw.CountEvictor.of(2)).reduce(spent)) == [("a", 9)]
    nothing = fours.evictor(sw.CountEvictor.of(0))
    assert shown(nothing.reduce(spent)) == [(None, None)]
    assert shown(nothing.aggregate(mean_price(get_result="acc"))) == [(0, 0)]
    assert shown(nothing.aggregate(mean_price(get_result="nullif(acc.n, 0)"))) == [(None,)]


def test_aggregates_of_a_field_give_a_record(clicks):
    fours = sw.key_by(clicks).count_window(4)
    assert shown(fours.sum("price")) == [("a", 19)]
    assert shown(fours.max("user")) == [("b", 3)]
    assert shown(fours.min("price")) == [("a", 3)]
    assert [row.ts.second for row in fours.max_by("user").collect()] == [3]
    assert [row.ts.second for row in fours.min_by("user").collect()] == [1]
    assert [row.ts.second for row in fours.min_by("user", first=False).collect()] == [12]
    with pytest.raises(ValueError, match="sum takes a column of numbers, got 'user' of type STRING"):
        fours.sum("user")


@pytest.mark.parametrize(
    ("parts", "error", "says"),
    [
        (
            {"add": lambda acc, row: 3},
            TypeError,
            "AggregateFunction: add must return a Column, .*, got 3",
        ),
        (
            {"add": lambda acc: acc},
            TypeError,
            r"AggregateFunction: add must take .* a function of 2 \(acc, row\)",
        ),
        (
            {"add": "struct(acc.n)"},
            ValueError,
            r"add must give exactly the columns of its accumulator \(n, total\), got n; missing: total",
        ),
        (
            {"merge": "struct(a.n, 1.5D as total)"},
            ValueError,
            "merge gives 'total' as DOUBLE, .* has it as INT",
        ),
        (
            {
                "create_accumulator": "struct(0 as n, 0.5D as total)",
                "add": "struct(acc.n, row.price as total)",
            },
            ValueError,
            "create_accumulator gives 'total' as DOUBLE, and what add gives has it as INT: cast it",
        ),
        (
            {"create_accumulator": "struct(price as n)"},
            ValueError,
            "create_accumulator knows no column `price`",
        ),
        ({"get_result": lambda acc: F.col("price")}, ValueError, "get_result knows no column `price`"),
        (
            {"get_result": lambda acc: F.sum(acc["n"])},
            ValueError,
            "get_result must be an expression over acc",
        ),
    ],
    ids=[
        "no column",
        "arity",
        "fields",
        "merge type",
        "initial type",
        "initial column",
        "unknown",
        "aggregate",
    ],
)
def test_parts_that_do_not_fit_are_refused_where_they_are_written(tens, parts, error, says):
    with pytest.raises(error, match=says):
        tens.aggregate(mean_price(**parts))


@pytest.mark.parametrize(
    ("function", "error", "says"),
    [
        (lambda a, b: None, TypeError, "reduce must return a Column, .*, got None"),
        (lambda a: a, TypeError, r"reduce must take what it is called with, a function of 2 \(a, b\)"),
        (lambda a, b: a["price"], ValueError, "reduce must give a struct, got INT"),
        (lambda a, b: F.struct(a["user"], a["ts"]), ValueError, "got user, ts; missing: price"),
        (
            "struct(a.user, a.ts, '3' as price)",
            ValueError,
            "gives 'price' as STRING, and the input has it as INT",
        ),
        ("struct(a.user, a.ts, rand() as price)", ValueError, r"reduce cannot use rand\("),
    ],
    ids=["no column", "arity", "no struct", "fields", "type", "random"],
)
def test_a_reduction_that_does_not_fit_is_refused_where_it_is_written(tens, function, error, says):
    with pytest.raises(error, match=says):
        tens.reduce(function)
