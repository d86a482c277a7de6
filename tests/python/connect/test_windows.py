"""Everything of the package by a client of Spark Connect, on a server with the plugin and on a plain one."""

import json
import os
import subprocess
import sys

import pandas as pd
import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from shared_list import SharedList
from spark_windowing import sim

pytestmark = [pytest.mark.spark, pytest.mark.remote]

STEPS = [
    sim.element(user="a", price=3, ts=2000),
    sim.element(user="a", price=4, ts=9999),
    sim.watermark(9999),
    sim.element(user="b", price=1, ts=1000),
]


def windows(clicks):
    time = {} if clicks.isStreaming else {"time": "ts"}
    return sw.key_by(clicks, "user", **time).time_window("10 seconds")


def n():
    return F.count("*").alias("n")


def rows_of(result, *columns):
    chosen = [F.unix_seconds("window.start").alias("at") if c == "window" else c for c in columns]
    return sorted(tuple(row) for row in result.select(*chosen).collect())


@pytest.fixture
def stream(spark, tmp_path):
    """Three micro-batches: a at 2 s and 4 s; b at 30 s; then a at 5 s, which is late, and b at 41 s."""
    folder = tmp_path / "in"
    folder.mkdir()
    for i, rows in enumerate([[("a", 2), ("a", 4)], [("b", 30)], [("a", 5), ("b", 41)]]):
        lines = [json.dumps({"user": user, "ts": f"1970-01-01T00:00:{second:02}Z"}) for user, second in rows]
        file = folder / f"{i}.json"
        file.write_text("\n".join(lines))
        os.utime(file, (i, i))
    reader = spark.readStream.schema("user string, ts timestamp").option("maxFilesPerTrigger", 1)
    return reader.json(str(folder)).withWatermark("ts", "0 seconds")


def run(frame, function, tmp_path):
    writer = frame.writeStream.foreachBatch(function).option(
        "checkpointLocation", str(tmp_path / "checkpoint")
    )
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    assert query.exception() is None
    return query


def test_aggregates_by_name_by_column_and_by_the_column_of_a_dataframe(clicks):
    for key, price in (("user", "price"), (F.col("user"), F.col("price")), (clicks.user, clicks.price)):
        result = (
            sw.key_by(clicks, key, time="ts").time_window("10 seconds").aggregate(F.sum(price).alias("sum"))
        )
        assert rows_of(result, "user", "window", "sum") == [("a", 0, 7), ("a", 10, 5), ("b", 0, 7)]


def test_columns_and_the_cache_of_a_result_over_rows_that_the_server_has_to_analyze(clicks, way):
    dear = clicks.where("price > 3")
    result = windows(dear).aggregate(n())
    assert rows_of(result.where(result.n > 0), "user", "n") == [("a", 1), ("a", 1), ("b", 1)]
    assert sw.key_by(result, result.user).count_window(2).aggregate(n()).count() == 1
    if way == "plugin":  # the function of a session makes its plan anew for each query
        result.cache().count()
        assert "InMemory" in result._explain_string()
        result.unpersist()


def test_inputs_with_a_common_table_expression_each(spark, clicks):
    clicks.createOrReplaceTempView("clicks_of_with")
    query = "WITH c AS (SELECT * FROM clicks_of_with WHERE price > {}) SELECT * FROM c"
    one, two = (sw.key_by(spark.sql(query.format(price)), "user", time="ts") for price in (3, 4))
    pairs = sw.join(one, two).window(sw.TumblingEventTimeWindows.of("10 seconds")).inner()
    assert pairs.select("user", "left.price", "right.price").count() == 2
    both = (
        windows(spark.sql(query.format(0)))
        .aggregate(n())
        .union(windows(spark.sql(query.format(4))).aggregate(n()))
    )
    assert both.count() == 5


def test_sql_has_the_table_functions_once_the_session_is_attached(spark, clicks):
    sw.attach(spark)
    clicks.createOrReplaceTempView("clicks_of_sql")
    call = "tumble_windows(TABLE(clicks_of_sql), 'user', 'ts', '10 seconds', 'sum(price) AS sum')"
    result = spark.sql(f"SELECT * FROM {call}")
    assert rows_of(result, "user", "window", "sum") == [("a", 0, 7), ("a", 10, 5), ("b", 0, 7)]
    spark.catalog.dropTempView("clicks_of_sql")


def test_triggers_evictors_panes_and_columns_of_two_rows(clicks):
    lists = F.collect_list("price").alias("prices")
    keyed = sw.key_by(clicks, "user", time="ts")
    counted = keyed.count_window(2).aggregate(lists)
    assert rows_of(counted, "user", "prices") == [("a", [3, 4])]
    delta = sw.DeltaTrigger.of(0.5, lambda old, new: new.price - old.price)
    assert rows_of(windows(clicks).trigger(delta).aggregate(lists), "prices") == [([3, 4],)]
    evicted = windows(clicks).evictor(sw.CountEvictor.of(1)).with_pane().aggregate(lists)
    assert rows_of(evicted, "user", "window", "prices", "pane.timing")[0] == ("a", 0, [4], "on_time")


def test_reduce_and_an_aggregate_of_ones_own(clicks):
    reduced = windows(clicks).reduce(
        lambda a, b: F.struct(a["user"], F.greatest(a["price"], b["price"]).alias("price"), a["ts"])
    )
    assert rows_of(reduced, "user", "window", "price") == [("a", 0, 4), ("a", 10, 5), ("b", 0, 7)]
    assert rows_of(windows(clicks).max_by("price"), "user", "price") == [("a", 4), ("a", 5), ("b", 7)]


def test_joins_and_co_groups(spark, clicks):
    orders = clicks.where("price > 3")
    left, right = (sw.key_by(frame, "user", time="ts") for frame in (clicks, orders))
    tumbling = sw.TumblingEventTimeWindows.of("10 seconds")
    joined = sw.join(left, right, names=("click", "order")).window(tumbling).inner()
    assert rows_of(joined, "user", "click.price", "order.price") == [
        ("a", 3, 4),
        ("a", 4, 4),
        ("a", 5, 5),
        ("b", 7, 7),
    ]
    together = sw.co_group(clicks=left, orders=right).window(tumbling)
    counted = together.aggregate(F.count("clicks").alias("clicks"), F.count("orders").alias("orders"))
    assert rows_of(counted, "user", "clicks", "orders") == [("a", 1, 1), ("a", 2, 1), ("b", 1, 1)]


def test_a_process_function_as_columns(clicks):
    result = sw.key_by(clicks, "user", time="ts").process(
        sw.ColumnProcess.of(
            state=F.struct(F.lit(None).cast("int").alias("price")),
            on_element=lambda row, state: sw.Do(
                state=F.struct(row.price), emit=F.struct(row.price, state.price.alias("before"))
            ),
        )
    )
    assert rows_of(result.fillna(0), "user", "price", "before") == [
        ("a", 3, 0),
        ("a", 4, 3),
        ("a", 5, 4),
        ("b", 7, 0),
    ]


def spread(key, context, clicks):
    if clicks.price.max() > 6:
        yield sw.Tagged("dear", clicks[["price"]])
    yield pd.DataFrame({"spread": [clicks.price.max() - clicks.price.min()]})


def test_python_functions_with_side_outputs_and_apply(clicks):
    result = windows(clicks).process(spread, "spread int", side_outputs={"dear": "price int"})
    assert rows_of(result, "user", "window", "spread") == [("a", 0, 1), ("a", 10, 0), ("b", 0, 0)]
    assert rows_of(sw.side_output(result, "dear"), "price") == [(7,)]
    applied = windows(clicks).apply(lambda key, window, rows: pd.DataFrame({"n": [len(rows)]}), "n int")
    assert rows_of(applied, "user", "n") == [("a", 1), ("a", 2), ("b", 1)]


def test_a_python_function_of_a_stream_names_the_package(stream, tmp_path):
    def count(key, context, rows):
        return [pd.DataFrame({"n": [len(rows)]}), sw.Tagged("users", rows[["user"]])]

    result = windows(stream).process(count, "n int", side_outputs={"users": "user string"})
    main, users = SharedList(tmp_path), SharedList(tmp_path)
    function = sw.for_each_output(
        main=lambda rows, batch: main.extend((r.user, r.n) for r in rows.select("user", "n").collect()),
        users=lambda rows, batch: users.extend(r.user for r in rows.collect()),
    )
    run(sw.all_outputs(result), function, tmp_path)
    assert main == [("a", 2), ("b", 1)]
    assert users == ["a", "a", "b"]


def test_a_stream_with_late_rows_each_output_to_its_function(stream, tmp_path):
    result = sw.key_by(stream, "user").time_window("10 seconds").side_output_late_data("late").aggregate(n())
    main, late = SharedList(tmp_path), SharedList(tmp_path)
    function = sw.for_each_output(
        main=lambda rows, batch: main.extend((r.user, r.n) for r in rows.select("user", "n").collect()),
        late=lambda rows, batch: late.extend((r.user, r.late_by_ms) for r in rows.collect()),
    )
    query = run(sw.all_outputs(result), function, tmp_path)
    assert main == [("a", 2), ("b", 1)]
    assert late == [("a", 24_999)]
    state = sw.read_state(stream.sparkSession, tmp_path / "checkpoint")
    assert [tuple(row) for row in state.select("key.user", "contents").collect()] == [("b", '{"0_count":1}')]
    sw.monitor(query, timeout="1 minute")


def test_a_changed_query_is_refused_on_its_checkpoint(stream, tmp_path):
    def run_windows(length):
        result = sw.key_by(stream, "user").time_window(length).aggregate(n())
        writer = result.writeStream.format("noop").option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer.trigger(availableNow=True).start().awaitTermination()

    run_windows("10 seconds")
    with pytest.raises(Exception, match="was 10 s, is 11 s"):
        run_windows("11 seconds")


def test_a_rescaled_checkpoint_goes_on(stream, tmp_path):
    windows = sw.key_by(stream, "user").window(sw.GlobalWindows.create()).trigger(sw.CountTrigger.of(5))
    result, fired = windows.aggregate(n()).select("user", "n"), SharedList(tmp_path)

    def run_on(checkpoint):
        writer = result.writeStream.foreachBatch(lambda rows, _: fired.extend(map(tuple, rows.collect())))
        writer.option("checkpointLocation", str(checkpoint)).trigger(
            availableNow=True
        ).start().awaitTermination()

    run_on(tmp_path / "checkpoint")
    moved = sw.rescale(stream.sparkSession, tmp_path / "checkpoint", tmp_path / "rescaled", 3)
    assert [(of.operator_id, of.before, of.partitions, of.rows) for of in moved] == [(0, 2, 3, 2)]
    with pytest.raises(ValueError, match="is not empty: give a new folder"):
        sw.rescale(stream.sparkSession, tmp_path / "checkpoint", tmp_path / "rescaled", 3)
    lines = [json.dumps({"user": "a", "ts": "1970-01-01T00:00:50Z"})] * 2
    (tmp_path / "in" / "3.json").write_text("\n".join(lines))
    run_on(tmp_path / "rescaled")
    assert fired == [("a", 5)]


def test_a_python_function_on_a_stream(stream, tmp_path):
    result = sw.key_by(stream, "user").time_window("10 seconds")
    counted = result.process(lambda key, context, rows: pd.DataFrame({"n": [len(rows)]}), "n int")
    found = SharedList(tmp_path)
    run(counted, lambda rows, _: found.extend((r.user, r.n) for r in rows.collect()), tmp_path)
    assert found == [("a", 2), ("b", 1)]


def test_watermark_strategies_and_a_clock(spark, stream, tmp_path):
    rate = spark.readStream.format("rate").load()
    strategy = sw.WatermarkStrategy.for_bounded_out_of_orderness("5 seconds").with_idleness("1 minute")
    timed = sw.assign_timestamps_and_watermarks(rate, strategy, time="timestamp")
    assert timed.isStreaming
    assert sw.with_clock(stream, "10 seconds").columns == ["user", "ts"]
    with pytest.raises(ValueError, match="watermark"):
        sw.assign_timestamps_and_watermarks(stream, strategy, time="ts")


def test_explain(clicks, capsys):
    sw.explain(windows(clicks).aggregate(n()))
    assert "assigner: TumblingEventTimeWindows(10 s)" in capsys.readouterr().out


def test_a_simulation_with_late_rows_and_its_picture(clicks):
    result = windows(clicks).side_output_late_data("late").aggregate(n())
    simulated = sw.simulate(result, STEPS)
    assert [(row.user, row.n) for row in simulated.steps[2].main] == [("a", 2)]
    assert [row.late_by_ms for row in simulated.steps[3].side["late"]] == [8999]
    axes = simulated.plot()
    assert len(axes) == 2  # a panel for each key


def test_a_simulation_of_a_python_function(clicks):
    result = windows(clicks).process(spread, "spread int", side_outputs={"dear": "price int"})
    simulated = sw.simulate(result, STEPS[:3])
    assert [(row.user, row.spread) for row in simulated.steps[2].main] == [("a", 1)]


def test_refusals_are_those_of_a_classic_session(clicks):
    with pytest.raises(ValueError, match=r"^allowed lateness must not be negative, got -1000 ms$"):
        windows(clicks).allowed_lateness("-1 second").aggregate(n())
    with pytest.raises(ValueError, match=r"^process: schema: Spark cannot read 'n no': Unsupported"):
        windows(clicks).process(spread, "n no")
    with pytest.raises(ValueError, match=r"^java.lang.Runtime is no WindowAssigner"):
        sw.key_by(clicks, "user", time="ts").window(sw.jvm("java.lang.Runtime")).aggregate(n())
    with pytest.raises(ValueError, match=r"^the result has no side output 'late'"):
        sw.side_output(windows(clicks).aggregate(n()), "late")
    with pytest.raises(TypeError, match="a key must be a column name or a Column, got 1"):
        sw.key_by(clicks, 1)
    with pytest.raises(TypeError, match="cannot be sent to Spark: give numbers, texts"):
        sw.key_by(clicks, "user").window(sw.jvm("com.acme.Mine", object())).aggregate(n())


def test_doctor_and_attach(spark):
    sw.attach()
    report = sw.doctor()
    assert report.ok, report
    assert [finding.subject for finding in report.findings] == [
        "spark-windowing",
        "pyspark",
        "session",
        "server",
        "Python workers",
    ]


def test_doctor_in_a_shell_asks_the_server_of_the_environment(server_url):
    shell = {**os.environ, "SPARK_REMOTE": server_url}
    command = [sys.executable, "-m", "spark_windowing", "doctor"]
    done = subprocess.run(command, env=shell, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "server           has windows" in done.stdout
    assert done.stdout.endswith("nothing is wrong\n")


def test_a_server_in_the_process_of_the_client():
    code = """
import spark_windowing as sw
from pyspark.sql import SparkSession, functions as F
builder = SparkSession.builder.remote("local[1]").config("spark.connect.grpc.binding.address", "127.0.0.1")
spark = sw.configure(builder.config("spark.ui.enabled", "false")).getOrCreate()
rows = spark.createDataFrame([("a", 1), ("a", 2)], "user string, n int")
print(sw.key_by(rows, "user").count_window(2).aggregate(F.sum("n").alias("n")).select("n").collect()[0].n)
spark.stop()
"""
    hidden = ("SPARK_REMOTE", "SPARK_CONNECT_MODE_ENABLED", "SPARK_LOCAL_REMOTE")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment["SPARK_TESTING"] = "1"  # the server takes any free port
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "3"


def test_a_query_has_measured_its_rows(spark, tmp_path):
    for second in (130, 110):
        rows = spark.range(second, second + 1).select(F.timestamp_seconds("id").alias("ts"))
        rows.coalesce(1).write.mode("append").json(str(tmp_path / "in"))
    files = spark.readStream.schema("ts timestamp").option("maxFilesPerTrigger", 1).json(str(tmp_path / "in"))
    counts = sw.key_by(files.withWatermark("ts", "1 minute"), F.lit(1).alias("all")).time_window("10 seconds")
    writer = counts.aggregate(F.count("*").alias("n")).writeStream.format("noop")
    query = (
        writer.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True).start()
    )
    query.awaitTermination()
    advice = sw.advise(query, keep=[1])
    assert (advice.rows, advice.behind, advice.delays[0].delay.seconds) == (2, 1, 32)


def test_windows_without_rows_triggers_over_results_and_why(clicks):
    filled = windows(clicks).fill_empty(for_at_most="30 seconds").aggregate(n())
    assert rows_of(filled, "user", "window", "n") == [("a", 0, 2), ("a", 10, 1), ("b", 0, 1), ("b", 10, 0)]
    ten = sw.TumblingEventTimeWindows.of("10 seconds")
    named = sw.key_by(clicks, "user", time="ts").windows(
        ten=ten, visit=sw.EventTimeSessionWindows.with_gap("1 minute")
    )
    assert [row.n for row in named.aggregate(n()).orderBy("window_name", "user", "window").collect()] == [
        2,
        1,
        1,
        3,
        1,
    ]
    came = clicks.withColumn("batch", F.col("price"))
    variants = sw.what_if(sw.keyed("user", time="ts").window(ten).aggregate(n()), came, arrived="batch")
    assert [(row.rows, row.windows) for row in variants.collect()] == [(clicks.count(), 1)]
    often = windows(clicks).trigger(sw.AggregateTrigger.of(when="n > 1")).aggregate(n())
    assert rows_of(often, "user", "window", "n") == [("a", 0, 2)]
    counted = windows(clicks).aggregate(n())
    why = sw.why(counted, {"user": "b", "price": 7})
    assert [firing.timing for of in why.windows for firing in of.firings] == ["on_time"]
    assert sw.why(counted, key="b", window=why.windows[0].window).windows == why.windows
    assert sw.why(sw.simulate(counted, STEPS), 3).late_by == 8999
