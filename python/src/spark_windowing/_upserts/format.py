"""Function for ``foreachBatch`` that a server of Spark Connect calls, in a process without this package."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from spark_windowing._gateway.pickling import by_value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyspark.sql import DataFrame

_FORMAT = "windows-upsert"


def write_by_format(options: Mapping[str, object], keys: Sequence[str]) -> Callable[[DataFrame, int], None]:
    """Make a function that writes a micro-batch by the format of the server."""
    by_value(sys.modules[__name__])
    given = {**{name: str(value) for name, value in options.items()}, "keys": json.dumps(list(keys))}

    def write(batch: DataFrame, batch_id: int) -> None:
        writer = batch.write.format(_FORMAT).options(**given).option("batchId", batch_id)
        writer.mode("append").save()

    return write
