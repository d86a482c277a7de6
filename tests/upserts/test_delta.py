"""Tables of Delta Lake beside what all stores have in common."""

from pathlib import Path

import pytest

from firings import sessions
from pages import play

PAGE = Path(__file__).parents[2] / "docs" / "upserts.md"
SETTINGS = [f"spark.databricks.delta.write.txn{name}" for name in ("AppId", "Version")]


def test_settings_of_the_session_are_as_they_were_for_others(delta, visits, run):
    stream, seen = sessions(visits([("a", 1)], [("a", 2)])), []
    write = delta.upsert(stream)

    def also(frame, batch):
        write(frame, batch)
        seen.extend(frame.sparkSession.conf.get(name, None) for name in SETTINGS)

    run(stream, also)
    assert len(seen) >= 4
    assert set(seen) == {None}
    history = delta._spark.sql("DESCRIBE HISTORY visits").select("operation").collect()
    assert sorted(row.operation for row in history) == ["CREATE TABLE", "MERGE", "MERGE"]


def test_files_without_windows_of_the_micro_batch_are_not_read(spark, delta, result, batch):
    write = delta.upsert(result)
    write(batch(("a", 0, 10, 0, 1)), 0)
    (old,) = spark.table("visits").inputFiles()
    write(batch(("a", 1000, 1010, 0, 1)), 1)
    Path(old.removeprefix("file:")).unlink()
    write(batch(("a", 1000, 1010, 1, 2), ("a", 2000, 2010, 0, 1)), 2)
    assert delta.versions() == 3


def test_tables_of_other_formats_and_without_columns_are_refused(spark, delta, result):
    spark.sql("CREATE TABLE visits (n bigint) USING parquet")
    with pytest.raises(ValueError, match="writes Delta tables, and visits is in format parquet"):
        delta.upsert(result)
    spark.sql("DROP TABLE visits")
    spark.sql("CREATE TABLE visits (user string, n bigint) USING delta")
    said = r"ALTER TABLE visits ADD COLUMNS \(`window` STRUCT<start: TIMESTAMP, end: .*>\)$"
    with pytest.raises(ValueError, match=said) as error:
        delta.upsert(result)
    spark.sql(str(error.value).partition(": ")[2])
    delta.upsert(result)


def test_a_column_that_goes_later_is_an_error_in_the_query(spark, delta, result, batch):
    spark.sql(
        "CREATE TABLE visits (user string, n bigint, `window` struct<start:timestamp,end:timestamp>) USING delta"
    )
    spark.sql("ALTER TABLE visits SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    write = delta.upsert(result)
    write(batch(("a", 0, 10, 0, 1)), 0)
    spark.sql("ALTER TABLE visits DROP COLUMN n")
    with pytest.raises(ValueError, match=r"ALTER TABLE visits ADD COLUMNS \(`n` BIGINT\)"):
        write(batch(("a", 0, 10, 1, 2)), 1)


def test_the_code_of_its_section_runs(spark, delta, tmp_path):
    play(PAGE, tmp_path, without={"Iceberg", "PostgreSQL"})
    assert spark.table("clicks").columns == ["user", "window", "pane", "clicks"]
    assert spark.streams.active == []
    delta.drop(["clicks", "late_clicks"])
