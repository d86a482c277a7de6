"""Windows in Spark's real-time mode: from Kafka to Kafka, over a stop, in turn with micro-batches; refusals; explain."""

import json
import re

import pyspark
import pytest

import spark_windowing as sw
from replay import create_topic
from servers import Broker
from shared import EXAMPLES

pytestmark = [
    pytest.mark.spark,
    pytest.mark.classic("the programs start classic sessions of their own"),
    pytest.mark.skipif(
        tuple(map(int, pyspark.__version__.split(".")[:2])) < (4, 3),
        reason="Spark has had the exchange of real-time mode since 4.3",
    ),
]

PAGE = EXAMPLES.parent / "docs" / "real-time.md"

START = """
import json, sys, time
folder, *arguments = sys.argv[1:]
sys.path.append(folder)
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
import spark_windowing as sw
from servers import jars

builder = SparkSession.builder.master("local[8]").config("spark.jars", ",".join(jars("spark-kafka")))
for name, value in {
    "spark.driver.host": "127.0.0.1",
    "spark.log.level": "OFF",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.streaming.stateStore.checkpointFormatVersion": "2",
    "spark.ui.enabled": "false",
}.items():
    builder = builder.config(name, value)
spark = sw.configure(builder, real_time=True).getOrCreate()
"""

# Two partitions with rows of 20 keys, one each second of event time. What the windows of a minute have counted comes
# with the name of the output as its topic. The query runs in real-time mode, is stopped and started again, while one
# partition lags by more than the delay of the watermark; when it has caught up, the query goes on in micro-batches,
# then in real-time mode again.
JOB = (
    START
    + """
from confluent_kafka import Consumer, Producer

broker, checkpoint = arguments
kafka = {"bootstrap.servers": broker}
keys, delay, seen, results = 20, 300, {}, []

def rows():
    value = F.split(F.col("value").cast("string"), " ")
    return (
        spark.readStream.format("kafka").option("kafka.bootstrap.servers", broker).option("subscribe", "in")
        .option("startingOffsets", "earliest").load()
        .select(value[0].alias("key"), F.timestamp_seconds(value[1].cast("long")).alias("ts"), value[2].cast("int").alias("n"))
        .withWatermark("ts", f"{delay} seconds")
    )

def start(**trigger):
    windows = sw.key_by(rows(), "key").time_window("1 minute").side_output_late_data("late")
    both = sw.all_outputs(windows.aggregate(F.count("*").alias("rows"), F.sum("n").alias("total")))
    written = both.select(
        F.col("output").alias("topic"),
        F.when(F.col("output") == "main", F.to_json(F.struct("main.key", F.unix_seconds("main.window.start").alias("start"), "main.rows", "main.total"))).otherwise(F.to_json("late")).alias("value"),
    )
    mode = "update" if "realTime" in trigger else "append"
    writer = written.writeStream.format("kafka").option("kafka.bootstrap.servers", broker)
    return writer.option("checkpointLocation", checkpoint).outputMode(mode).trigger(**trigger).start()

producer = Producer(kafka)
def produce(partition, second, key, n):
    producer.produce("in", f"{key} {second} {n}".encode(), partition=partition)

def feed(begin, end, lag):
    for second in range(begin, end):
        for partition in (0, 1):
            at = second - (lag if partition else 0)
            if at >= 0:
                key = f"k{(second + partition) % keys}"
                produce(partition, at, key, second)
                window = (key, at // 60 * 60)
                rows, total = seen.get(window, (0, 0))
                seen[window] = (rows + 1, total + second)
        producer.poll(0.001)  # so that the partitions keep together
    producer.flush(30)

consumer = Consumer({**kafka, "group.id": "test", "auto.offset.reset": "earliest"})
consumer.subscribe(["main", "late"])
late = []
def read_until(query, complete, patience=90):
    end = time.time() + patience
    while time.time() < end and not complete({(r["key"], r["start"]) for r in results}):
        if not query.isActive:
            raise query.exception()
        message = consumer.poll(0.2)
        if message is not None and not message.error():
            (results if message.topic() == "main" else late).append(json.loads(message.value()))

def due(until):
    return {window for window in seen if window[1] + 60 <= until - delay}

real_time, began = {"realTime": "5 seconds"}, 0
for end, lag, trigger in (
    (1500, 600, real_time), (2400, 600, real_time), (3300, 0, {"processingTime": "0 seconds"}), (4200, 0, real_time)
):
    query = start(**trigger)
    feed(began, end, lag)
    read_until(query, due(end - 1 - lag).issubset)
    query.stop()
    began = end
# A row that the watermark has passed long ago.
query = start(realTime="5 seconds")
produce(0, 5, "k0", 1)
feed(began, began + 400, 0)
read_until(query, lambda _: late and due(began + 399) <= {(r["key"], r["start"]) for r in results})
query.stop()
wrong = [r for r in results if seen[r["key"], r["start"]] != (r["rows"], r["total"])]
got = {(r["key"], r["start"]) for r in results}
print(json.dumps({"missing": len(due(began + 399) - got), "wrong": wrong, "windows": len(got), "late": late}))
spark.stop()
"""
)


@pytest.fixture(scope="module")
def folder():
    return str(EXAMPLES / "vehicle_count")


def test_kafka_to_kafka_over_stops_and_in_turn_with_micro_batches(python, folder, tmp_path):
    with Broker(tmp_path / "kafka") as broker:
        create_topic(broker.address, "in", partitions=2)
        for topic in ("main", "late"):
            create_topic(broker.address, topic, partitions=1)
        printed = json.loads(python(JOB, folder, broker.address, str(tmp_path / "checkpoint"))[-1])
    assert printed["wrong"] == []
    assert printed["missing"] == 0
    assert printed["windows"] > 1000
    # Again after a stop, at most.
    assert {(row["key"], row["n"], row["late_reason"]) for row in printed["late"]} == {("k0", 1, "late")}


def test_the_code_of_the_page_runs(python, folder, tmp_path):
    """With another address and another folder, and the connector from where the tests have it."""
    first, second = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    with Broker(tmp_path / "kafka") as broker:
        for topic in ("clicks", "counts"):
            create_topic(broker.address, topic, partitions=1)
        code = first.replace("localhost:9092", broker.address).replace(
            "/data/checkpoint", str(tmp_path / "c")
        )
        code = code.replace('"spark.jars.packages", connector', '"spark.jars", ",".join(jars("spark-kafka"))')
        assert 'jars("spark-kafka")' in code
        assert code.count(broker.address) == 2
        printed = python(
            f"{START.partition('builder =')[0]}\n{code}\n{PLAYED}\n{second}\n{SHOWN}", folder, broker.address
        )
    assert printed[-2:] == ["True", "['topic', 'value']"], printed


# Clicks from the moment at which the query has begun to read, until the first window is complete.
PLAYED = """
from confluent_kafka import Consumer, Producer

producer = Producer({"bootstrap.servers": arguments[0]})
consumer = Consumer({"bootstrap.servers": arguments[0], "group.id": "test", "auto.offset.reset": "earliest"})
consumer.subscribe(["counts"])
at, end, message = int(time.time() - 3600) * 1000, time.time() + 60, None
while message is None and time.time() < end and query.isActive:
    for at in range(at, at + 30000, 1000):
        producer.produce("clicks", b"", b"ann", timestamp=at)
    producer.flush(30)
    message = consumer.poll(0.5)
print(query.exception() if message is None else 1 <= json.loads(message.value())["n"] <= 11)
query.stop()
windows = sw.key_by(clicks, "user").time_window("10 seconds")
"""

SHOWN = "print(rows.columns)"

REFUSED = (
    START
    + """
import contextlib, io
from pyspark.sql import Row

jvm = spark._jvm
stream = jvm.org.apache.spark.sql.execution.streaming.sources.LowLatencyMemoryStream.apply(
    spark._jsparkSession, 2, jvm.org.apache.spark.sql.Encoders.LONG()
)
from pyspark.sql import DataFrame
numbers = DataFrame(stream.toDF(), spark).select((F.col("value") % 3).alias("key"), F.timestamp_seconds("value").alias("ts"), "value")
events = numbers.withWatermark("ts", "0 seconds")
ten = sw.key_by(events, "key").time_window("10 seconds")
n = F.count("*").alias("n")
fixed = spark.createDataFrame([Row(key=1, ts=None, value=1)], numbers.schema)
TEN = sw.TumblingEventTimeWindows.of("10 seconds")
strategy = sw.WatermarkStrategy.for_monotonous_timestamps()

def told(result, settings={}):
    before = {name: spark.conf.get(name, None) for name in settings}
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        writer = result.writeStream.format("console").outputMode("update").trigger(realTime="5 seconds")
        query = writer.start()
        query.awaitTermination(30)  # what the first micro-batch finds
        query.stop()
        return "ran"
    except Exception as e:
        return str(e)
    finally:
        for name, value in before.items():
            spark.conf.unset(name) if value is None else spark.conf.set(name, value)

explained = io.StringIO()
with contextlib.redirect_stdout(explained):
    sw.explain(ten.aggregate(n))
python = ten.process(lambda key, context, rows: rows[["value"]], "value long")
by_partition = sw.assign_timestamps_and_watermarks(numbers, strategy, time="ts", per_partition="key")
ingested = sw.assign_timestamps_and_watermarks(numbers, sw.WatermarkStrategy.ingestion_time(), time="at")
print(json.dumps({
    "off": told(ten.aggregate(n), {"spark.windowing.realTime": "false"}),
    "list": told(ten.aggregate(n), {"spark.sql.streaming.realTimeMode.allowlistCheck": "true"}),
    "python": told(python),
    "micro-batch": told(ten.trigger(sw.MicroBatchTrigger.create()).aggregate(n)),
    "other": told(sw.key_by(events.dropDuplicates(["value", "ts"]), "key").time_window("10 seconds").aggregate(n)),
    "windows of windows": told(sw.key_by(ten.aggregate(n), "key", time="window").time_window("1 minute").aggregate(n)),
    "per_partition": told(sw.key_by(by_partition, "key").window(TEN).aggregate(n)),
    "ingestion": told(sw.key_by(ingested, "key").window(TEN).aggregate(n)),
    "table": told(sw.key_by(events, "key").starting_with(fixed).window(TEN).aggregate(n)),
    "change": told(ten.allow_state_change().aggregate(n)),
    "before": told(sw.key_by(events.select("*", F.udf(lambda v: v)("value").alias("u")), "key").window(TEN).aggregate(F.max("u"))),
    "portable": told(ten.aggregate(n), {"spark.windowing.operator": "portable"}),
    "explained": explained.getvalue(),
}))
"""
)


@pytest.fixture(scope="module")
def refused(folder):
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, "-c", REFUSED, folder], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("off", 'spark.conf.set("spark.windowing.realTime", "true"), which is experimental'),
        ("list", 'type spark.conf.set("spark.sql.streaming.realTimeMode.allowlistCheck", "false")'),
        ("python", "run no function of Python, whose process gets rows in blocks"),
        ("micro-batch", "have no end of a micro-batch at which a trigger could fire"),
        ("other", "run with no other stateful operator in the query"),
        ("windows of windows", "run with no other stateful operator in the query"),
        ("per_partition", "take per_partition away"),
        ("ingestion", "take no ingestion time, which is one for all rows of a micro-batch"),
        ("table", "begin with no rows of a table"),
        ("change", "take over no state of another declaration"),
        ("before", "EvalPython in real-time mode: take it away"),
        ("portable", "real-time mode. Run it in micro-batches, .trigger("),
        (
            "explained",
            "real-time mode: allowed (experimental); a watermark each 2 ms, which waits for the slowest",
        ),
        (
            "explained",
            "rows wait in the exchange for up to 5 ms (spark.shuffle.streaming.networkBufferMaxWaitTimeMs)",
        ),
    ],
)
def test_refused_or_told_by_name(refused, case, said):
    assert said in refused[case]


def test_configure_sets_what_must_be_set_and_keeps_what_is():
    from pyspark.sql import SparkSession

    wait = "spark.shuffle.streaming.networkBufferMaxWaitTimeMs"
    builder = SparkSession.Builder().config(wait, "1")
    options = sw.configure(builder, real_time=True)._options
    assert (options[wait], options["spark.windowing.realTime"]) == ("1", "true")
    assert options["spark.windowing.realTime.watermarkInterval"] == "2 ms"
    assert options["spark.executor.heartbeatInterval"] == "1s"
    assert "spark.windowing.realTime" not in sw.configure(SparkSession.Builder())._options
