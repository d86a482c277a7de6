"""Plan of a Spark Connect client: the rows that the calls of a message give. Imports PySpark's client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyspark.sql.connect.proto as pb
from pyspark.sql.connect.dataframe import DataFrame
from pyspark.sql.connect.plan import LogicalPlan

from spark_windowing._gateway.connect_way import FUNCTION, Way
from spark_windowing._gateway.recorded import Message

if TYPE_CHECKING:
    from collections.abc import Mapping

TYPE_URL = "type.googleapis.com/dev.sparkwindowing.RecordedCalls"


class RecordedPlan(LogicalPlan):
    """Relation of the calls that a result needs, with its DataFrames and columns in Spark's own messages.

    The message is a ``Project``: its first expression is the text with the calls, the others are their
    columns; the references of its input are their DataFrames. The plugin gets its bytes as a relation of its
    own kind, the table function as its argument.
    """

    def __init__(self, result: object, way: Way) -> None:
        """Write the message of a result."""
        message = Message(result)
        self._text = message.json()
        self._frames = [_plan_of(frame) for frame in message.frames]
        self._columns = message.columns
        self._way = way
        super().__init__(self._frames[0] if self._frames else None)

    def plan(self, session: Any) -> pb.Relation:
        """Return the relation as PySpark's client sends it."""
        carrier = pb.Relation()
        project = carrier.project
        project.input.with_relations.SetInParent()
        project.input.with_relations.references.extend(frame.plan(session) for frame in self._frames)
        project.expressions.add().literal.string = self._text
        project.expressions.extend(_expression(column, session) for column in self._columns)
        sent = carrier.SerializeToString(deterministic=True)
        relation = self._create_proto_relation()
        if self._way is Way.PLUGIN:
            relation.extension.type_url = TYPE_URL
            relation.extension.value = sent
        else:
            function = relation.unresolved_table_valued_function
            function.function_name = FUNCTION
            function.arguments.add().literal.binary = sent
        return relation

    @property
    def observations(self) -> Mapping[str, Any]:  # type: ignore[override]
        """Observations of all DataFrames."""
        return {name: value for frame in self._frames for name, value in frame.observations.items()}


def connect_frame(result: object, spark: Any, way: Way) -> DataFrame:
    """Make a DataFrame of a client from a recorded result."""
    return DataFrame(RecordedPlan(result, way), spark)


def _plan_of(frame: Any) -> LogicalPlan:
    plan: LogicalPlan = frame._plan
    return plan


def _expression(column: Any, session: Any) -> pb.Expression:
    expression: pb.Expression = column.to_plan(session)
    return expression
