"""All rows of a simulation, in one DataFrame of Scala: each part is collected from the same run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spark_windowing._simulation.rows import named, read

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row

# Columns before those of the parts: the number of the part, and the facts.
_FIRST = 2


@dataclass(frozen=True)
class Part:
    """Rows of a part of a run: each as its step and then its values."""

    name: str
    names: list[str]
    rows: list[tuple[int, list[Any]]]

    def by_step(self, count: int) -> list[list[Row]]:
        """Return the rows of each step."""
        rows: list[list[Row]] = [[] for _ in range(count)]
        for step, values in self.rows:
            rows[step].append(named(self.names, values))
        return rows


@dataclass(frozen=True)
class Record:
    """Run of a simulation.

    Attributes
    ----------
    facts
        Values that belong to no row: ``time``, ``is_event_time``, ``allowed_lateness``, ``after``.
    outputs
        The main output, then the side outputs; empty if a function follows the operator.
    cleared, happened
        The windows that were cleaned up, and all events.
    handed
        The rows for that function, each with its step; None if there is none.
    """

    facts: dict[str, Any]
    outputs: list[Part]
    cleared: Part
    happened: Part
    handed: DataFrame | None

    @staticmethod
    def of(everything: DataFrame, *, has_function: bool) -> Record:
        """Collect a run. Its first part is that for the function, if one follows the operator."""
        from pyspark.sql import functions as F
        from pyspark.sql.types import StructType

        part_of = F.col("part")
        wanted, handed = everything, None
        if has_function:  # the values for the function are not collected: their types may be for it alone
            wanted = everything.where(part_of.isNull() | (part_of != 0)).drop("0")
            handed = everything.where(part_of == 0).select("`0`.*")
        *rows, last = wanted.collect()
        facts = json.loads(last[1])
        schemas = [StructType.fromJson(part["schema"]) for part in facts["parts"]]
        parts = [
            Part(part["name"], schema.names[1:], [])
            for part, schema in zip(facts["parts"], schemas, strict=True)
        ]
        kinds = [[field.dataType for field in schema][1:] for schema in schemas]
        for row in rows:
            number = row[0]
            step, *values = row[_FIRST + number - has_function]
            parts[number].rows.append((step, list(map(read, values, kinds[number]))))
        *outputs, cleared, happened = parts
        return Record(facts, [] if has_function else outputs, cleared, happened, handed)
