"""Function for ``foreachBatch`` that Scala does the work of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_windowing._gateway.setup import gateway_of
from spark_windowing._gateway.spark_session import is_connect
from spark_windowing._upserts.format import write_by_format

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import DataFrame


def upsert(
    result: DataFrame, store: str, table: object, **options: object
) -> Callable[[DataFrame, int], None]:
    """Create the table, check it and the result, and make the function.

    Parameters
    ----------
    result
        The result of windows.
    store
        The kind of the table, ``"delta"``, ``"iceberg"`` or ``"postgres"``.
    table
        Its name.
    **options
        Further options of the sink.

    Raises
    ------
    TypeError
        If the table is no text.
    ValueError
        If Scala refuses result or table.
    SparkWindowingError
        If the session lacks the store.
    """
    if not isinstance(table, str):
        raise TypeError(f"upsert_to_{store} takes the name of a table as a text, got {table!r}")
    named = {"store": store, "table": table, **options}
    pairs = list(named.items())
    keys = gateway_of(result).value("upsert_table", result=result, options=pairs)
    if is_connect(result):
        return write_by_format(named, keys)

    def write(batch: DataFrame, batch_id: int) -> None:
        gateway_of(batch).value("upsert", batch=batch, batch_id=batch_id, options=pairs, keys=keys)

    return write


def checked(properties: Mapping[str, str] | None) -> dict[str, str]:
    """Return the properties of a connection.

    Raises
    ------
    TypeError
        If they are not texts by name. The error shows no value, which may be a password.
    """
    given = dict(properties or {})
    wrong = [name for name, value in given.items() if not (isinstance(name, str) and isinstance(value, str))]
    if wrong:
        raise TypeError(f"properties must be texts by name, and those of {wrong} are not")
    return given
