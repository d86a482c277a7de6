"""Joins and co-groups of a stream of clicks and a stream of orders."""

from collections.abc import Iterator

import matplotlib as mpl
import pandas as pd
import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from both_sessions import ended
from shared import append, second
from spark_windowing import sim

pytestmark = pytest.mark.spark

mpl.use("agg")


@pytest.fixture
def orders(spark):
    """An order of a at 6 seconds, one of c at 2 seconds."""
    return spark.createDataFrame(
        [("a", 9, second(6)), ("c", 5, second(2))], "buyer string, amount int, at timestamp"
    )


@pytest.fixture
def inputs(clicks, orders):
    return sw.key_by(clicks, "user", time="ts"), sw.key_by(orders, "buyer", time="at")


def in_parts(key, window, rows: Iterator[pd.DataFrame]):
    return None


def tens(declared):
    return declared.window(sw.TumblingEventTimeWindows.of("10 seconds"))


def shown(result):
    return sorted((row.user, str(row.left), str(row.right)) for row in result.collect())


def test_the_struct_of_an_input_without_partner_is_null(inputs):
    result = tens(sw.join(*inputs, names=("click", "order"))).full()
    rows = result.select("user", F.col("click.price"), F.col("order.amount")).collect()
    assert sorted(map(str, rows)) == sorted(
        [
            "Row(user='a', price=3, amount=9)",
            "Row(user='a', price=4, amount=9)",
            "Row(user='a', price=5, amount=None)",
            "Row(user='b', price=7, amount=None)",
            "Row(user='c', price=None, amount=5)",
        ]
    )


@pytest.fixture
def counts():
    def counted(key, context, rows):
        clicks, orders = rows["clicks"], rows["orders"]
        return pd.DataFrame(
            {
                "clicks": [len(clicks)],
                "spent": [int(clicks.price.sum())],
                "amounts": [str(list(orders.amount))],
            }
        )

    return counted


def test_a_function_gets_the_rows_of_each_input(inputs, counts):
    clicks, orders = inputs
    result = tens(sw.co_group(clicks=clicks, orders=orders)).process(
        counts, "clicks int, spent int, amounts string"
    )
    rows = [(r.user, r.clicks, r.spent, r.amounts) for r in result.orderBy("window", "user").collect()]
    assert rows == [("a", 2, 7, "[9]"), ("b", 1, 7, "[]"), ("c", 0, 0, "[5]"), ("a", 1, 5, "[]")]


def test_apply_gets_them_too(inputs):
    clicks, orders = inputs
    result = tens(sw.co_group(clicks=clicks, orders=orders)).apply(
        lambda key, window, rows: pd.DataFrame({"names": [",".join(rows)]}), "names string"
    )
    assert {row.names for row in result.collect()} == {"clicks,orders"}


def test_simulated_rows_name_their_input(inputs):
    run = sw.simulate(
        tens(sw.join(*inputs)).side_output_late_data("late").left(),
        [
            sim.element(user="a", price=3, ts=1000, input="left"),
            sim.element(buyer="a", amount=9, at=9999, input="right"),
            sim.watermark(9999),
            sim.element(buyer="a", amount=8, at=9000, input=1),
        ],
    )
    (fired,) = run.steps[2].main
    assert (fired.user, fired.left.price, fired.right.amount) == ("a", 3, 9)
    (late,) = run.steps[3].side["late"]
    assert (late.left, late.right.amount, late.late_by_ms) == (None, 8, 999)


def test_a_picture_names_the_input_of_a_row(inputs):
    run = sw.simulate(
        tens(sw.join(*inputs)).inner(),
        [
            sim.element(user="a", price=3, ts=1000, input="left"),
            sim.element(buyer="a", amount=9, at=2000, input="right"),
            sim.end(),
        ],
    )
    texts = {text.get_text() for text in run.plot().texts}
    assert {"left price=3 ts=1000", "right amount=9 at=2000"} <= texts
    assert any(text.startswith("left={a, 3, 1970-01-01") for text in texts)


def test_simulated_watermarks_are_those_of_the_slowest_input(inputs):
    clicks, orders = inputs
    run = sw.simulate(
        tens(sw.co_group(clicks=clicks, orders=orders)).aggregate(F.count("clicks").alias("n")),
        [
            sim.element(user="a", ts=20_000, input="clicks"),
            sim.element(buyer="a", at=5000, input="orders"),
            sim.probe(0),
            sim.idle("orders"),
        ],
        watermarks=sw.WatermarkStrategy.for_monotonous_timestamps(),
    )
    assert [step.watermark for step in run.steps[2:]] == [4999, 19_999]
    assert [row.n for row in run.steps[3].main] == [0]


def test_a_simulated_python_function(inputs, counts):
    clicks, orders = inputs
    run = sw.simulate(
        tens(sw.co_group(clicks=clicks, orders=orders)).process(
            counts, "clicks int, spent int, amounts string"
        ),
        [
            sim.element(user="a", price=3, ts=1000, input="clicks"),
            sim.element(buyer="a", amount=9, at=9999, input="orders"),
            sim.end(),
        ],
    )
    (row,) = run.steps[2].main
    assert (row.clicks, row.spent, row.amounts) == (1, 3, "[9]")


def test_an_input_that_is_unknown(inputs):
    result = tens(sw.join(*inputs)).inner()
    with pytest.raises(ValueError, match="there is no input 'orders': 'left', 'right'"):
        sw.simulate(result, [sim.element(user="a", ts=0, input="orders")])
    with pytest.raises(ValueError, match="there is no input 2: 'left', 'right'"):
        sw.simulate(result, [sim.element(user="a", ts=0, input=2)])
    alone = tens(inputs[0]).aggregate(F.count("*"))
    with pytest.raises(ValueError, match="there is no input 'left': names are for a join or co-group"):
        sw.simulate(alone, [sim.element(user="a", ts=0, input="left")])


def test_bad_arguments(inputs, clicks):
    keyed = inputs[0]
    with pytest.raises(
        TypeError, match=r'join: right must be key_by\(df, "user", time="ts"\), got DataFrame'
    ):
        sw.join(keyed, clicks)
    with pytest.raises(
        ValueError, match=r"apply\(in_parts\): a co_group gives a dict of DataFrames: take the hint"
    ):
        tens(sw.co_group(clicks=keyed, orders=keyed)).apply(in_parts, "n long")
    with pytest.raises(TypeError, match="co_group: orders must be key_by"):
        sw.co_group(clicks=keyed, orders=clicks)
    with pytest.raises(TypeError, match=r"co_group takes at least two inputs.*got 1"):
        sw.co_group(clicks=keyed)
    with pytest.raises(TypeError, match=r'join: names takes two texts such as \("click", "order"\), got 3'):
        sw.join(*inputs, names=3)
    with pytest.raises(ValueError, match="join: names must not be empty"):
        ended(sw.join(*inputs, names=("", "order")))
    with pytest.raises(ValueError, match="'user' names a key and an input"):
        ended(sw.join(*inputs, names=("user", "order")))
    with pytest.raises(TypeError, match="window takes a window assigner"):
        sw.join(*inputs).window("10 seconds")
    with pytest.raises(AttributeError, match=r"a join has no aggregate\(\): it ends in inner\(\)"):
        tens(sw.join(*inputs)).aggregate(F.count("*"))


def test_declarations_read_as_written(inputs):
    declared = tens(sw.join(*inputs, names=("click", "order"))).allowed_lateness("1 hour")
    assert repr(declared) == (
        "join(key_by(df, 'user', time='ts'), key_by(df, 'buyer', time='at'), names=('click', 'order'))"
        ".window(TumblingEventTimeWindows.of(\"10 seconds\")).allowed_lateness('1 hour')"
    )
    assert repr(sw.co_group(a=inputs[0], b=inputs[1])) == (
        "co_group(a=key_by(df, 'user', time='ts'), b=key_by(df, 'buyer', time='at'))"
    )


def test_a_stream_shows_its_state(spark, tmp_path):
    def stream(name, schema, time, line):
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.json").write_text(line)
        return spark.readStream.schema(schema).json(str(tmp_path / name)).withWatermark(time, "0 seconds")

    click = '{"user": "a", "ts": "1970-01-01T00:00:01Z"}'
    order = '{"user": "a", "amount": 3, "at": "1970-01-01T00:00:02Z"}'
    left = sw.key_by(stream("clicks", "user string, ts timestamp", "ts", click), "user")
    right = sw.key_by(stream("orders", "user string, amount int, at timestamp", "at", order), "user")
    append(tens(sw.join(left, right)).inner(), tmp_path)
    (state,) = sw.read_state(spark, str(tmp_path / "checkpoint")).collect()
    assert state.elements == 2
    assert '"right":{"user":"a","amount":3' in state.contents
