"""The plans for large windows of `examples/large_windows`: equal totals from what each of them keeps."""

import pandas as pd
import pytest
from pyspark import cloudpickle
from pyspark.sql import functions as F

import plans
from flights import SCHEMA, all_flights, by_days, closing_row, write_files

pytestmark = pytest.mark.spark

cloudpickle.register_pickle_by_value(plans)  # the workers know nothing of its folder


@pytest.fixture(scope="module")
def flights():
    """Four months, with the flights that never departed."""
    flights = all_flights()
    return flights[flights["scheduled"] < pd.Timestamp("2013-05-01", tz="UTC")]


@pytest.fixture(scope="module")
def ran(spark, flights, tmp_path_factory):
    """What the plans reported last of each window, and what they kept at most; stopped after half of the files."""
    folder = tmp_path_factory.mktemp("large_windows")
    pieces = [*by_days(flights, 5), closing_row(flights)]
    half = len(pieces) // 2
    write_files(pieces[:half], folder / "input")
    plans.run(spark, folder)
    write_files(pieces[half:], folder / "input", first=half)
    return plans.run(spark, folder)


@pytest.fixture(scope="module")
def expected(spark, flights, tmp_path_factory):
    """The totals by Spark's own windows, on the static flights."""
    folder = tmp_path_factory.mktemp("static")
    write_files([flights], folder)
    windows = (
        spark.read.schema(SCHEMA).parquet(str(folder)).groupBy("carrier", F.window("departed", plans.WINDOW))
    )
    totals = windows.agg(F.count("*").alias("flights"), F.sum("delay").alias("delay"))
    return {(r.carrier, r.window): (r.flights, r.delay) for r in totals.where("window is not null").collect()}


@pytest.mark.parametrize("plan", plans.PLANS)
def test_the_last_report_of_each_window_has_the_totals_of_a_plain_group_by(ran, expected, plan):
    found = {(row.carrier, row.window): tuple(row[plan] or ()) for row in ran[0].collect()}
    assert found == expected
    assert len(expected) > 30


def test_rows_are_kept_where_a_function_wants_them_and_totals_elsewhere(ran):
    _, kept = ran
    assert kept["process_and_purge"] > 20 * kept["aggregate_and_purge"]
    assert kept["process_and_purge"] > 20 * kept["aggregate_and_keep"]
