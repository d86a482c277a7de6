"""The program of `make big-state`, small."""

import pytest

import big_state

pytestmark = [
    pytest.mark.spark,
    pytest.mark.long,
    pytest.mark.classic("the benchmark collects its rows in the process of a classic session"),
]


def run_all(spark, folder, shape):
    big_state.write_rows(spark, folder / "in", shape)
    return [
        big_state.run(plan(big_state.windows(spark, folder / "in", shape)), folder / str(i))
        for i, plan in enumerate(big_state.PLANS.values())
    ]


def test_kept_rows_make_the_state_grow_and_aggregates_do_not(spark, tmp_path):
    kept, totals = run_all(spark, tmp_path, big_state.Shape(rows=2000, batches=4))
    assert sorted(kept.result) == sorted(totals.result)
    ((_, _, n, total, _),) = kept.result
    assert (n, total) == (2000, 2000 * 1999 // 2)
    filled = [batch for batch in kept.batches if batch.rows]
    assert [batch.rows for batch in filled] == [500, 500, 500, 500, 1]
    sizes = [batch.state for batch in filled]
    assert sizes[0] > 500 * 40
    assert [round(size / sizes[0]) for size in sizes[:4]] == [1, 2, 3, 4]
    assert max(batch.state for batch in totals.batches) < 1000
    assert kept.written > totals.written + 50_000


def test_each_row_in_a_window_of_its_own_in_any_order(spark, tmp_path):
    shape = big_state.Shape(rows=2000, batches=2, window="1 second", shuffled=True, touched=3)
    kept, totals = run_all(spark, tmp_path, shape)
    assert sorted(kept.result) == sorted(totals.result)
    assert sorted(n for _, _, n, _, _ in kept.result) == [1] * 1997 + [2] * 3
    _, all_windows, *touched, _ = [batch for batch in totals.batches if batch.rows]
    assert len(touched) == 3
    assert all(0 < 3 * batch.written < all_windows.written for batch in touched)
