"""The program of `make large-key`, small: a function with an iterator, and a join, on streams with late rows."""

import pytest
from pyspark import cloudpickle

import large_key

# The workers know nothing of its folder.
cloudpickle.register_pickle_by_value(large_key)

pytestmark = [
    pytest.mark.spark,
    pytest.mark.long,
    pytest.mark.classic("the benchmark collects its rows in the process of a classic session"),
]


@pytest.mark.parametrize("plan", ["python", "join"])
def test_it_fires_twice_with_the_right_rows(spark, tmp_path, plan):
    large_key.write_rows(spark, tmp_path / "in", rows=4000, batches=2)
    result = large_key.PLANS[plan](spark, tmp_path / "in")
    fired, _ = large_key.run(plan, result, tmp_path / "checkpoint")
    assert [(one.n, one.total) for one in fired] == large_key.expected(plan, 4000)
    assert [one.worker > 0 for one in fired] == [plan == "python"] * 2
