"""A query over Kafka that starts with the table in which another job keeps the messages of days before."""

import random
import sys
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient, NewTopic
from pyspark.sql import functions as F

import spark_windowing as sw

sys.path.append(str(Path(__file__).parents[2] / "examples" / "vehicle_count"))
from replay import flush, producer
from servers import Broker

TOPIC = "visits"
BEGIN = 1_767_225_600_000  # 2026-01-01 00:00:00 UTC, in milliseconds
SECONDS = 600
CUT = BEGIN + 400_000  # the table has what was sent before, the stream begins here
GAP = 8


def messages():
    """Users, in milliseconds when a message was sent, and up to 5 seconds before that when it happened."""
    random.seed(20260101)
    for second in range(SECONDS):
        sent = BEGIN + second * 1000
        yield f"u{second // 12 % 7}", sent, sent - random.randrange(5000)
    yield "end", BEGIN + SECONDS * 1000, BEGIN + (SECONDS + 60) * 1000


@pytest.fixture
def broker(tmp_path):
    """A broker whose topic has two partitions; behind the cut the second one is silent."""
    with Broker(tmp_path / "kafka") as server:
        # Else the broker deletes them for their age.
        kept = NewTopic(TOPIC, 2, 1, config={"retention.ms": "-1"})
        admin = AdminClient({"bootstrap.servers": server.address})
        admin.create_topics([kept])[TOPIC].result()
        with producer(server.address) as to_broker:
            for number, (user, sent, happened) in enumerate(messages()):
                partition = number % 2 if sent < CUT else 0
                to_broker.produce(TOPIC, str(happened), user, partition=partition, timestamp=sent)
            flush(to_broker)
        yield server.address


def topic(reader, broker, **options):
    reader = reader.format("kafka").option("kafka.bootstrap.servers", broker).option("subscribe", TOPIC)
    return (
        reader.options(**options)
        .load()
        .selectExpr("CAST(key AS STRING) AS user", "value", "timestamp AS sent")
    )


def happened(rows):
    return rows.selectExpr("user", "timestamp_millis(CAST(CAST(value AS STRING) AS BIGINT)) AS ts")


def sessions(keyed):
    windows = keyed.window(sw.EventTimeSessionWindows.with_gap(f"{GAP} seconds"))
    return windows.aggregate(F.count("*").alias("n"))


def test_a_table_of_messages_and_then_the_topic_from_their_end_on(spark, broker, run, table):
    def results(frame, name):
        found = []
        run(frame, lambda batch, _: found.extend(map(repr, batch.collect())), name)
        return sorted(found)

    def stream(**options):
        return sw.key_by(
            happened(topic(spark.readStream, broker, **options)).withWatermark("ts", "6 seconds"), "user"
        )

    sent = topic(spark.read, broker)
    sent.where(F.col("sent") < F.timestamp_millis(F.lit(CUT))).write.saveAsTable(table, format="delta")
    expected = results(sessions(stream(startingOffsets="earliest")), "one")
    assert len(expected) == 50
    behind = stream(startingTimestamp=CUT, startingOffsetsByTimestampStrategy="latest")
    history = happened(spark.table(table))
    assert results(sessions(behind.starting_with(history, emit=True)), "all") == expected
    # Without `emit` nothing of what was complete before the cut.
    left = results(sessions(behind.starting_with(history)), "left")
    assert 0 < len(left) < 20
    assert set(left) < set(expected)
