"""Python functions of windows, called in this process."""

from __future__ import annotations

import itertools
import operator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from spark_windowing._gateway.gateway import Gateway
    from spark_windowing._streams.process import RegisteredFunction


def called_here(registered: RegisteredFunction, gateway: Gateway, handed: DataFrame) -> DataFrame:
    """Apply the Python function to the output of each step, in this process."""
    import pyarrow as pa
    from pyspark.sql.types import IntegerType, StructField, StructType

    steps = pa.field("step", pa.int32())
    made = pa.BufferOutputStream()
    with pa.ipc.new_stream(made, registered.function.schema.insert(0, steps)) as stream:
        for number, parts in itertools.groupby(_parts(handed), key=operator.itemgetter(0)):
            for piece in registered.function(rows for _, rows in parts):
                step = pa.array([number] * piece.num_rows, pa.int32())
                stream.write_batch(piece.add_column(0, steps, step))
    given = made.getvalue().to_pybytes()

    def give(_: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        yield from pa.ipc.open_stream(given)

    columns = StructType([StructField("step", IntegerType()), *registered.columns])
    return gateway.spark.range(0, 1, 1, 1).mapInArrow(give, columns)


def _parts(frame: DataFrame) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Yield the rows of each step, in as many parts as they have batches, each with the step."""
    for batch in _batches(frame):
        rows = batch.remove_column(0)
        first = 0
        for step, ones in itertools.groupby(batch.column(0).to_pylist()):
            count = len(list(ones))
            yield step, rows.slice(first, count)
            first += count


def _batches(frame: DataFrame) -> Iterator[pa.RecordBatch]:
    """Yield rows as Arrow batches, as workers get them: ``toArrow`` fails on some types."""
    import pyarrow as pa

    def keep(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for batch in batches:
            written = pa.BufferOutputStream()
            with pa.ipc.new_stream(written, batch.schema) as stream:
                stream.write_batch(batch)
            yield pa.RecordBatch.from_pydict({"written": [written.getvalue().to_pybytes()]})

    for row in frame.coalesce(1).mapInArrow(keep, "written binary").collect():
        yield from pa.ipc.open_stream(bytes(row.written))
