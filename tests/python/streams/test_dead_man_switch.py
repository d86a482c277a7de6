"""The dead-man switch of the cookbook on a Kafka topic that stays silent, before and after a restart of the job."""

import pytest
from confluent_kafka import Producer

from replay import create_topic
from servers import Broker
from shared import EXAMPLES

pytestmark = pytest.mark.spark

# Reads the beats, stops, starts again without new data, and prints the devices that it reports.
JOB = """
import sys, time

folder, broker, checkpoints = sys.argv[1:]
sys.path.append(folder)
from job import session
from pyspark.sql import functions as F
import spark_windowing as sw

spark = session({})
beats = (
    spark.readStream.format("kafka").option("kafka.bootstrap.servers", broker).option("subscribe", "beats")
    .option("startingOffsets", "earliest").load().select(F.col("value").cast("string").alias("device"), "timestamp")
)
strategy = sw.WatermarkStrategy.for_bounded_out_of_orderness("1 second").with_idleness("3 seconds")
counted = sw.assign_timestamps_and_watermarks(beats, strategy, time="timestamp")
jobs = {
    "silent": sw.key_by(sw.with_clock(beats, every="1 second"), "device").window(
        sw.ProcessingTimeSessionWindows.with_gap("4 seconds")
    ),
    "closed": sw.key_by(counted, "device").time_window("2 seconds"),
}
told = {name: [] for name in jobs}


def start(name):
    def keep(rows, _):
        told[name].extend((row.device, row.beats) for row in rows.collect())

    writer = jobs[name].aggregate(F.count("*").alias("beats")).writeStream.foreachBatch(keep)
    return writer.option("checkpointLocation", f"{checkpoints}/{name}").start()


def wait(until):
    end = time.monotonic() + 120
    while not until() and time.monotonic() < end:
        time.sleep(0.05)


for name in jobs:
    query = start(name)
    wait(lambda: any(told["stateOperators"][0]["numRowsUpdated"] for told in query.recentProgress))
    query.stop()
time.sleep(4)  # the devices are silent while the job is down
running = [start(name) for name in jobs]
wait(lambda: all(len(found) >= 3 for found in told.values()))
for query in running:
    query.stop()
for name, found in told.items():
    print(name, sorted(found))
"""


def test_silent_devices_are_reported_and_their_last_windows_closed_after_a_restart(python, tmp_path):
    devices = ("a", "b", "c")
    with Broker(tmp_path / "kafka") as broker:
        create_topic(broker.address, "beats", partitions=2)
        producer = Producer({"bootstrap.servers": broker.address})
        for device in devices:
            producer.produce("beats", device.encode())
        producer.flush(30)
        printed = python(JOB, str(EXAMPLES / "vehicle_count"), broker.address, str(tmp_path))
    once = [(device, 1) for device in devices]
    assert printed[-2:] == [f"silent {once}", f"closed {once}"]
