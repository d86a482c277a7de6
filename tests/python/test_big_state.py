"""The program of `make big-state`, small."""

import pytest

import big_state

pytestmark = pytest.mark.spark


def test_kept_rows_make_the_state_grow_and_aggregates_do_not(spark, tmp_path):
    big_state.write_rows(spark, tmp_path / "in", 2000, 4)
    kept, totals = (
        big_state.run(plan(big_state.windows(spark, tmp_path / "in")), tmp_path / str(i))
        for i, plan in enumerate(big_state.PLANS.values())
    )
    assert sorted(kept.result) == sorted(totals.result)
    ((_, _, n, total, _),) = kept.result
    assert (n, total) == (2000, 2000 * 1999 // 2)
    assert [batch.rows for batch in kept.batches] == [500, 500, 500, 500, 1]
    sizes = [batch.state for batch in kept.batches]
    assert sizes[0] > 500 * 40
    assert [round(size / sizes[0]) for size in sizes[:4]] == [1, 2, 3, 4]
    assert max(batch.state for batch in totals.batches) < 1000
    assert kept.written > 20 * totals.written or kept.written > 100_000
