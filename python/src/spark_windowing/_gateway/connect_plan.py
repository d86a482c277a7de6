"""Plan of a Spark Connect client: the answer to a message. Imports PySpark's client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyspark.sql.connect.proto as pb
from pyspark.sql.connect.dataframe import DataFrame
from pyspark.sql.connect.plan import LogicalPlan

from spark_windowing._gateway.connect_way import FUNCTION, Way

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spark_windowing._gateway.message import Message

TYPE_URL = "type.googleapis.com/dev.sparkwindowing.Message"


class MessagePlan(LogicalPlan):
    """Relation of a message, with its DataFrames and columns in Spark's own messages.

    What is sent is a ``Project``: its first expression is the text of the message, the others are its
    columns; the references of its input are its DataFrames. The plugin gets its bytes as a relation of its
    own kind, the table function as its argument.
    """

    def __init__(self, message: Message, way: Way) -> None:
        """Take what the message holds."""
        self._text = message.text
        frames: list[Any] = message.frames  # of PySpark's client, as the columns
        self._frames: list[LogicalPlan] = [frame._plan for frame in frames]
        self._columns: list[Any] = message.columns
        self._way = way
        super().__init__(self._frames[0] if self._frames else None)

    def plan(self, session: Any) -> pb.Relation:
        """Return the relation as PySpark's client sends it."""
        carrier = pb.Relation()
        project = carrier.project
        project.input.with_relations.SetInParent()
        project.input.with_relations.references.extend(frame.plan(session) for frame in self._frames)
        project.expressions.add().literal.string = self._text
        project.expressions.extend(column.to_plan(session) for column in self._columns)
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


def connect_frame(message: Message, spark: Any, way: Way) -> DataFrame:
    """Make a DataFrame of a client from a message."""
    return DataFrame(MessagePlan(message, way), spark)
