"""Looking into the state of streams, with the jar that was added to the running session."""

import json
import re
import subprocess
import sys
from datetime import datetime, timezone
from importlib.metadata import version

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import functions as F

import spark_windowing as sw

pytestmark = pytest.mark.spark
READS_STORES = version("pyspark").startswith("3.5.")  # Spark 4 has a reader of its own
TEN_SECONDS = sw.TumblingEventTimeWindows.of("10 seconds")
SPENT = {"clicks": ("count", "*"), "spent": ("sum", "price")}


def aggregates():
    return [getattr(F, function)(column).alias(name) for name, (function, column) in SPENT.items()]


def text(timestamp):
    return None if timestamp is None else F.date_format(timestamp, "mm:ss.SSS")


@pytest.fixture
def stream(spark, tmp_path):
    """A stream of clicks (user, price, second), its watermark a minute behind."""

    def make(*rows):
        folder = tmp_path / "in"
        folder.mkdir(exist_ok=True)
        lines = [json.dumps({"user": u, "price": p, "ts": f"1970-01-01T00:00:{s:02}Z"}) for u, p, s in rows]
        (folder / f"{len(list(folder.iterdir()))}.json").write_text("\n".join(lines))
        files = spark.readStream.schema("user string, price int, ts timestamp").json(str(folder))
        return files.withWatermark("ts", "1 minute")

    return make


@pytest.fixture
def clicks(stream):
    """The same by user."""
    return lambda *rows: sw.key_by(stream(*rows), "user")


@pytest.fixture
def after(tmp_path):
    """Run a query over all there is; return its checkpoint."""

    def run(result):
        checkpoint = tmp_path / "checkpoint"
        query = result.writeStream.foreachBatch(lambda rows, _: rows.collect()).trigger(availableNow=True)
        query = query.option("checkpointLocation", str(checkpoint)).start()
        try:
            query.awaitTermination()
        finally:
            query.stop()
        return checkpoint

    return run


def shown(state):
    """The rows in order, with what is not null, and times as minutes and seconds."""
    times = {name: text(name) for name in ("next_event_timer", "next_processing_timer")}
    window = F.concat_ws("-", text("window.start"), text("window.end"))
    rows = state.withColumns({**times, "window": F.when(F.col("window").isNotNull(), window)})
    rows = rows.withColumn("key", F.to_json("key")).orderBy("key", "kind", "window")
    return [
        {k: v for k, v in row.asDict().items() if v is not None and k != "kind"} for row in rows.collect()
    ]


def test_the_columns_and_their_types(spark, clicks, after):
    state = sw.read_state(spark, after(clicks(("a", 3, 2)).window(TEN_SECONDS).aggregate(*aggregates())))
    assert [(f.name, f.dataType.simpleString()) for f in state.schema] == [
        ("key", "struct<user:string>"),
        ("kind", "string"),
        ("window", "struct<start:timestamp,end:timestamp>"),
        ("elements", "bigint"),
        ("contents", "string"),
        ("trigger", "string"),
        ("next_event_timer", "timestamp"),
        ("next_processing_timer", "timestamp"),
        ("firings", "bigint"),
        ("state", "string"),
    ]
    row = state.first()
    assert row.window.end.astimezone(timezone.utc) == datetime(1970, 1, 1, 0, 0, 10, tzinfo=timezone.utc)
    assert json.loads(row.contents) == {"0_count": 1, "1_sum": 3}


def test_states_of_a_python_function_are_shown_with_their_fields(spark, clicks, after):
    def first(key, context, elements):
        return elements[["price"]]

    counted = sw.ColumnState.of(F.struct(F.lit(0).alias("n")), F.struct((F.col("state.n") + 1).alias("n")))
    windows = clicks(("a", 3, 2), ("a", 5, 4)).window(TEN_SECONDS)
    windows = windows.trigger(sw.PurgingTrigger.of(sw.CountTrigger.of(2)))
    result = windows.process(first, "price int", window_state=counted, global_state=counted)
    assert shown(sw.read_state(spark, after(result))) == [
        {"key": '{"user":"a"}', "state": '{"global_state":{"n":1}}'},
        {
            "key": '{"user":"a"}',
            "window": "00:00.000-00:10.000",
            "state": '{"window_state":{"n":1}}',
            "next_event_timer": "00:09.999",
        },
    ]


def test_of_several_operators_one_is_chosen(spark, clicks, after):
    inner = clicks(("a", 3, 2)).window(TEN_SECONDS).aggregate(*aggregates())
    checkpoint = after(sw.key_by(inner, "user").time_window("1 minute").aggregate(F.sum("clicks").alias("n")))
    with pytest.raises(ValueError, match="several window operators: choose one with operator_id, 0 or 1"):
        sw.read_state(spark, checkpoint)
    assert sorted(sw.read_state(spark, checkpoint, operator_id=i).count() for i in (0, 1)) == [0, 1]
    with pytest.raises(ValueError, match=r"operator_id is 7, and the window operators of .* are 0 and 1"):
        sw.read_state(spark, checkpoint, operator_id=7)


def test_an_earlier_micro_batch_and_one_behind_the_last(spark, clicks, after):
    checkpoint = after(clicks(("a", 3, 2)).window(TEN_SECONDS).aggregate(*aggregates()))
    after(clicks(("b", 3, 2)).window(TEN_SECONDS).aggregate(*aggregates()))
    assert sw.read_state(spark, str(checkpoint)).count() == 2
    assert sw.read_state(spark, str(checkpoint), batch_id=0).count() == 1
    says = {
        True: re.escape(f"batch_id is 5, and the last complete micro-batch of {checkpoint} is 1"),
        False: r"\[STDS_(COMMITTED_BATCH|OFFSET_LOG)_UNAVAILABLE\]",  # Spark 4.0 looks for another log
    }
    with pytest.raises(ValueError if READS_STORES else Exception, match=says[READS_STORES]):
        sw.read_state(spark, checkpoint, batch_id=5).collect()


def test_what_cannot_be_read_is_refused_by_name(spark, tmp_path):
    with pytest.raises(ValueError, match="nowhere holds no state of a window operator: there is no state/"):
        sw.read_state(spark, tmp_path / "nowhere")
    with pytest.raises(TypeError, match="checkpoint must be the path of a checkpoint, got 3"):
        sw.read_state(spark, 3)
    with pytest.raises(TypeError, match="operator_id must be a whole number or None, got '0'"):
        sw.read_state(spark, tmp_path, operator_id="0")
    with pytest.raises(ValueError, match="batch_id must be 0 or more, got -1"):
        sw.read_state(spark, tmp_path, batch_id=-1)


@pytest.mark.classic("starts a process with a classic session of its own")
def test_a_session_that_has_run_no_stream_reads_it(clicks, after):
    checkpoint = after(clicks(("a", 3, 2), ("b", 5, 1)).window(TEN_SECONDS).aggregate(*aggregates()))
    code = f"""
import spark_windowing as sw
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
print(sorted(row.user for row in sw.read_state(spark, {str(checkpoint)!r}).select("key.user").collect()))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "['a', 'b']\n", done.stderr[-2000:]


def test_a_query_that_has_completed_no_micro_batch_is_refused(spark, clicks, tmp_path):
    def fail(rows, _):
        rows.collect()
        raise OSError("the sink is full")

    checkpoint = tmp_path / "checkpoint"
    result = clicks(("a", 3, 2)).window(TEN_SECONDS).aggregate(*aggregates())
    query = result.writeStream.foreachBatch(fail).option("checkpointLocation", str(checkpoint)).start()
    with pytest.raises(StreamingQueryException, match="the sink is full"):
        query.awaitTermination()
    assert (checkpoint / "state/0/_window/specification").exists()
    says = {
        True: f"{checkpoint} holds no complete micro-batch: start the query first",
        False: "[STDS_COMMITTED_BATCH_UNAVAILABLE]",
    }
    with pytest.raises(ValueError if READS_STORES else Exception, match=says[READS_STORES]):
        sw.read_state(spark, checkpoint).collect()
