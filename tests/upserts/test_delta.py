"""Tables of Delta Lake beside what all stores have in common."""

from pathlib import Path

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from firings import EACH, sessions
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


def test_names_and_keys_of_all_kinds_in_a_table_by_path(spark):
    rows = [
        (1.5, ("x", None), 1),
        (float("nan"), ("y", 2), 2),
        (float("nan"), ("y", 2), 3),
        (0.0, None, 1),
        (-0.0, None, 1),
    ]
    visits = spark.createDataFrame(rows, "`a.b` double, `change` struct<`c``d`:string,e:int>, s int")
    windows = sw.key_by(visits.withColumn("ts", F.timestamp_seconds("s")), "`a.b`", "change", time="ts")
    result = (
        windows.time_window("10 seconds").trigger(EACH).with_pane().aggregate(F.count("*").alias("target"))
    )
    path = f"delta.`{Path(spark.conf.get('spark.sql.warehouse.dir').removeprefix('file:'))}/by_path`"
    write = sw.upsert_to_delta(result, path)
    for batch in range(2):
        write(result, batch)
    found = spark.sql(f"SELECT `a.b`, `change`.e, target FROM {path}").collect()
    assert sorted(map(str, map(tuple, found))) == ["(0.0, None, 2)", "(1.5, None, 1)", "(nan, 2, 2)"]


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
