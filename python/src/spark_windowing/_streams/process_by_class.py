"""Schemas of a process function of a user's jar, which says nothing of its columns itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spark_windowing._streams.schemas import check_schemas, schemas
from spark_windowing._streams.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from spark_windowing._gateway.gateway import Gateway


@dataclass(frozen=True, eq=False)
class ProcessByClass(Value):
    """Schemas of the result and of the side outputs."""

    schema: str | StructType | None
    side_outputs: Mapping[str, str | StructType] | None

    def __post_init__(self) -> None:
        """Check the schemas, as far as that needs no session."""
        check_schemas("process", self.schema, self.side_outputs)

    def result(self, gateway: Gateway, declaration: Mapping[str, Any], _: tuple[str, ...]) -> DataFrame:
        """Process the rows of each key, with the schemas as Spark reads them."""
        schema, sides = schemas("process", self.schema, self.side_outputs, gateway)
        compute = {**declaration["compute"]._document(), "schema": schema, "side_outputs": [*sides.items()]}
        return gateway.frame("result", declaration={**declaration, "compute": compute})
