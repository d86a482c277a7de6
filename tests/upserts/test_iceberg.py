"""Tables of Iceberg beside what all stores have in common: their maintenance, and their two ways of changing rows."""

from pathlib import Path

import pytest

import spark_windowing as sw
from firings import sessions
from pages import play
from test_stores import unfinish

PAGE = Path(__file__).parents[2] / "docs" / "upserts.md"
VISITS = [[("a", 0), ("a", 20)], [("b", 5)], [("a", 10), ("b", 0)]]
EXPECTED = [("a", 0, 30, 3), ("b", 0, 15, 2)]
OWN = "user string, n bigint, `window` struct<start:timestamp,end:timestamp>"


@pytest.fixture(autouse=True)
def shop(spark):
    spark.sql("CREATE NAMESPACE IF NOT EXISTS lake.shop")


def snapshots(spark):
    spark.sql("REFRESH TABLE lake.shop.visits")
    return spark.sql(
        "SELECT operation, summary['spark-windowing.batch-id'] AS batch FROM lake.shop.visits.snapshots "
        "ORDER BY committed_at"
    ).collect()


def rewrite(spark):
    """Compact the table."""
    spark.sql("REFRESH TABLE lake.shop.visits")
    options = "options => map('rewrite-all', 'true')"
    spark.sql(f"CALL lake.system.rewrite_data_files(table => 'shop.visits', {options})")


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
@pytest.mark.parametrize("partitions", ["", "PARTITIONED BY (hours(window.start))", "PARTITIONED BY (user)"])
def test_both_ways_of_changing_rows_with_and_without_partitions(
    spark, iceberg, visits, run, mode, partitions
):
    spark.sql(
        f"CREATE TABLE lake.shop.visits ({OWN}) USING iceberg {partitions} "
        f"TBLPROPERTIES ('write.merge.mode' = '{mode}', 'format-version' = '2')"
    )
    result = sessions(visits(*VISITS))
    run(result, iceberg.upsert(result))
    assert iceberg.rows("n") == EXPECTED


def test_each_snapshot_of_the_query_has_the_micro_batch_and_those_of_others_have_none(
    spark, iceberg, visits, run, tmp_path
):
    result = sessions(visits(*VISITS))
    write = iceberg.upsert(result)

    def compact(frame, batch):
        write(frame, batch)
        if batch == 1:  # in the thread of the query, where a setting of the session would mark it too
            rewrite(spark)

    run(result, compact)
    assert [tuple(row) for row in snapshots(spark)] == [
        ("append", "0"),
        ("append", "1"),
        ("replace", None),
        ("overwrite", "2"),
    ]
    unfinish(tmp_path / "checkpoint", 2)
    # Behind a compaction and the change of another writer.
    rewrite(spark)
    spark.sql("UPDATE lake.shop.visits SET n = 30 WHERE user = 'a'")
    before = iceberg.versions()
    run(result, compact)
    assert iceberg.versions() == before
    assert iceberg.rows("n") == [("a", 0, 30, 30), ("b", 0, 15, 2)]


def test_a_micro_batch_that_runs_again_when_its_snapshot_has_expired_gives_the_same_table(
    spark, iceberg, visits, run, tmp_path
):
    result = sessions(visits(*VISITS))
    run(result, iceberg.upsert(result))
    assert iceberg.rows("n") == EXPECTED
    unfinish(tmp_path / "checkpoint", 2)
    rewrite(spark)
    spark.sql(
        "CALL lake.system.expire_snapshots(table => 'shop.visits', older_than => TIMESTAMP '2200-01-01', retain_last => 1)"
    )
    assert [row.batch for row in snapshots(spark)] == [None]
    run(result, iceberg.upsert(result))
    assert [row.batch for row in snapshots(spark)] == [None, "2"]
    assert iceberg.rows("n") == EXPECTED


def test_a_table_gets_a_column_by_the_line_of_the_error(spark, iceberg, result, batch):
    spark.sql("CREATE TABLE lake.shop.visits (user string, n bigint) USING iceberg")
    said = r"ALTER TABLE lake\.shop\.visits ADD COLUMNS \(`window` STRUCT<start: TIMESTAMP, end: .*>\)$"
    with pytest.raises(ValueError, match=said) as error:
        iceberg.upsert(result)
    spark.sql(str(error.value).partition(": ")[2])
    write = iceberg.upsert(result)
    write(batch(("a", 0, 10, 0, 1)), 0)
    spark.sql("ALTER TABLE lake.shop.visits ADD COLUMNS (note string)")
    write(batch(("a", 0, 10, 1, 2)), 1)
    assert iceberg.rows("n", "note") == [("a", 0, 10, 2, None)]


def test_tables_outside_a_catalog_of_iceberg_are_refused(spark, result):
    with pytest.raises((ValueError, sw.SparkWindowingError)):
        sw.upsert_to_iceberg(result, "visits_elsewhere")
    assert not spark.catalog.tableExists("visits_elsewhere")


def test_the_code_of_its_section_runs(spark, iceberg, tmp_path):
    play(PAGE, tmp_path, without={"Delta Lake", "PostgreSQL"})
    assert spark.table("lake.shop.clicks").columns == ["user", "window", "pane", "clicks"]
    assert spark.streams.active == []
    iceberg.drop(["clicks"])
