"""The messages of a change stream in Kafka, by the recipe of docs/changelog.md, also of a micro-batch that ran twice."""

import json
import random
import re
from pathlib import Path

import pytest
from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition

from replay import create_topic
from servers import Broker
from shared import EXAMPLES
from streams.test_changelog import GAP, model

pytestmark = pytest.mark.spark

PAGE = Path(__file__).parents[3] / "docs" / "changelog.md"
PARTITIONS = 3

# Two runs of a query on one checkpoint, a micro-batch for each file; the last one runs again, as if its commit was lost.
JOB = """
import sys
from pathlib import Path

folder, broker, place, gap = sys.argv[1:]
sys.path.append(folder)
from job import session
from pyspark.sql import functions as F
import spark_windowing as sw

RECIPE
spark = session({"spark.sql.streaming.noDataMicroBatches.enabled": "false"})


def run(files):
    read = spark.readStream.schema("user string, second int").option("maxFilesPerTrigger", 1).json(f"{place}/{files}")
    changes = (
        sw.key_by(read.select("user", F.timestamp_seconds("second").alias("ts")).withWatermark("ts", "1 hour"), "user")
        .window(sw.EventTimeSessionWindows.with_gap(f"{gap} seconds"))
        .trigger(sw.CountTrigger.of(1))
        .changelog()
        .aggregate(F.count("*").alias("n"))
    )
    writer = messages(changes, "user").writeStream.format("kafka").option("kafka.bootstrap.servers", broker)
    writer = writer.option("topic", "sessions").option("checkpointLocation", f"{place}/checkpoint")
    writer.trigger(availableNow=True).start().awaitTermination()


run("[ab]")
run("[abcd]")
commits = Path(place) / "checkpoint" / "commits"
last = max((file for file in commits.iterdir() if file.name.isdigit()), key=lambda file: int(file.name))
for file in (last, commits / f".{last.name}.crc"):
    file.unlink()
run("[abcd]")
"""


def recipe():
    """The function of the page."""
    return re.search(r"(?m)^def messages(.|\n)*?(?=\n\n\n)", PAGE.read_text(encoding="utf-8")).group()


def write(folder, visits):
    for number in range(4):
        lines = [json.dumps({"user": user, "second": second}) for user, second in visits[number::4]]
        target = folder / "abcd"[number]
        target.mkdir()
        (target / "visits.json").write_text("\n".join(lines), encoding="utf-8")


def read(broker):
    """All messages of the topic, by partition and in order."""
    consumer = Consumer({"bootstrap.servers": broker, "group.id": "reader", "enable.auto.commit": False})
    places = [TopicPartition("sessions", number, OFFSET_BEGINNING) for number in range(PARTITIONS)]
    consumer.assign(places)
    try:
        count = sum(consumer.get_watermark_offsets(place)[1] for place in places)
        found = []
        while len(found) < count:
            found += consumer.consume(count - len(found), timeout=30)
        assert [message.error() for message in found] == [None] * count
        return found
    finally:
        consumer.close()


def test_the_newest_value_of_each_key_is_the_table_though_a_micro_batch_ran_twice(python, tmp_path):
    rnd = random.Random(11)
    visits = [(rnd.choice("ab"), rnd.randrange(600)) for _ in range(120)]
    write(tmp_path, visits)
    with Broker(tmp_path / "kafka") as broker:
        create_topic(broker.address, "sessions", partitions=PARTITIONS)
        job = JOB.replace("RECIPE", recipe())
        python(job, str(EXAMPLES / "vehicle_count"), broker.address, str(tmp_path), str(GAP))
        messages = read(broker.address)
    table = {}
    for message in messages:
        key = json.loads(message.key())
        own = (key["user"], key["start"] // 1000, key["end"] // 1000)
        if message.value() is None:
            table.pop(own, None)
        else:
            table[own] = json.loads(message.value())["n"]
    assert table == model(visits)
    assert any(message.value() is None for message in messages)
    pairs = [(message.key(), message.value()) for message in messages if message.value() is not None]
    assert len(set(pairs)) < len(pairs), "no micro-batch ran twice"
