"""Names that several tests use."""

from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"
STREAMING = "org.apache.spark.sql.execution.streaming"
MOVED = "" if version("pyspark").startswith(("3.5.", "4.0.")) else "checkpointing."
CHECKPOINTS = f"{STREAMING}.{MOVED}FileSystemBasedCheckpointFileManager"


def second(seconds):
    """A moment counted from the epoch, as a timestamp column takes it."""
    return datetime.fromtimestamp(seconds, tz=timezone.utc)


def append(result, folder):
    """Take what there is and append the result to Parquet files in `folder`/out."""
    writer = result.writeStream.format("parquet").option("path", str(folder / "out"))
    query = writer.option("checkpointLocation", str(folder / "checkpoint")).trigger(availableNow=True).start()
    query.awaitTermination()
