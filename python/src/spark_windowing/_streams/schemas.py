"""Schemas that a caller gives for the results of a function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from spark_windowing._gateway.errors import parse_errors

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

    from spark_windowing._gateway.gateway import Gateway


def check_schemas(
    owner: str, schema: str | StructType | None, side_outputs: Mapping[str, str | StructType] | None
) -> None:
    """Check the schemas of a result and of side outputs, as far as that needs no session.

    Raises
    ------
    TypeError
        If there is no schema, or the side outputs are no dict of texts.
    """
    if schema is None:
        raise TypeError(f'{owner} needs the schema of its result: schema="total long"')
    if side_outputs is not None and not isinstance(side_outputs, Mapping):
        raise TypeError(
            f'{owner}: side_outputs must be a dict such as {{"big": "value int"}}, got {side_outputs!r}'
        )
    for tag in side_outputs or ():
        if not isinstance(tag, str):
            raise TypeError(f"{owner}: the tag of a side output is a text, got {tag!r}")


def schemas(
    owner: str,
    schema: str | StructType | None,
    side_outputs: Mapping[str, str | StructType] | None,
    gateway: Gateway,
) -> tuple[StructType, dict[str, StructType]]:
    """Read the schema of a result and those of side outputs by tag, which `check_schemas` has seen.

    Raises
    ------
    TypeError, ValueError
        If one of them is no schema.
    """
    sides = (side_outputs or {}).items()
    return _schema(gateway, f"{owner}: schema", schema), {
        tag: _schema(gateway, f"{owner}: side_outputs[{tag!r}]", side) for tag, side in sides
    }


def _schema(gateway: Gateway, what: str, schema: str | StructType | None) -> StructType:
    from pyspark.sql.types import StructType

    if isinstance(schema, str):
        gateway.require_answers(f"{what} as a text", 'give a StructType: StructType().add("total", "long")')
        with parse_errors(what, schema):
            return gateway.schema("schema", ddl=schema)
    if not isinstance(schema, StructType):
        raise TypeError(f'{what} must be DDL such as "total long" or a StructType, got {schema!r}')
    return schema
