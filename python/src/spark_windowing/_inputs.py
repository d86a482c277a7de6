"""Which columns went into a result: `simulate` makes rows of them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

_inputs: WeakKeyDictionary[DataFrame, StructType] = WeakKeyDictionary()


def remember_input(result: DataFrame, schema: StructType) -> None:
    """Note the schema of the DataFrame that a result was declared on, for as long as the result lives."""
    _inputs[result] = schema


def input_of(result: DataFrame) -> StructType:
    """Return the schema of the DataFrame that a result was declared on.

    Raises
    ------
    ValueError
        If it is not what `aggregate` returned.
    """
    schema = _inputs.get(result)
    if schema is None:
        raise ValueError(
            "simulate takes the DataFrame that .aggregate(..) returned, not one derived from it: "
            "result = sw.key_by(..).window(..).aggregate(..); sw.simulate(result, steps)"
        )
    return schema
