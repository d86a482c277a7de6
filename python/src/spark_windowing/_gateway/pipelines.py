"""Gateway in the definition of a Spark Declarative Pipeline, where Spark cannot be asked for anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from spark_windowing._gateway.connect_way import PLUGIN, SETTING, Way
from spark_windowing._gateway.errors import SparkWindowingError
from spark_windowing._gateway.gateway import Gateway
from spark_windowing._gateway.message import Message
from spark_windowing._gateway.pipeline_spec import START

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_CONTEXT = "PipelineAnalysisContext"  # what Spark's client sends along while it reads the files of a pipeline


class PipelineGateway(Gateway):
    """Gateway whose questions stay in the plan of a flow, and are answered when the pipeline analyzes it.

    The datasets of a pipeline are not there while it is defined, and the functions of its flows may not ask
    for a schema. So every refusal of Scala comes with the analysis of the flow.
    """

    def frame(self, ask: str, /, **fields: object) -> DataFrame:
        """Make a DataFrame, without a request to the server."""
        from spark_windowing._gateway.connect_plan import connect_frame

        return connect_frame(Message(ask, {**fields, "in_pipeline": True}), self.spark, Way.PLUGIN)

    def value(self, ask: str, /, **_: object) -> NoReturn:
        """Refuse it: no answer comes while a pipeline is defined."""
        self.require_answers(f"sw.{ask}", "call it in a session of its own, on a DataFrame of the same rows")
        raise AssertionError

    def resolve(self, rows: object) -> None:
        """Leave it to the analysis of the flow."""

    def check(self, declaration: object) -> None:
        """Leave it to the analysis of the flow."""

    def require_answers(self, what: str, instead: str) -> None:
        """Refuse it."""
        raise SparkWindowingError(
            f"{what} cannot be used in the definition of a pipeline: it asks Spark for a schema or for rows, "
            "and the datasets of the pipeline are not there yet.",
            instead,
        )


def in_pipeline(spark: Any) -> bool:
    """Tell whether this thread reads the files of a pipeline, for a session of Spark Connect."""
    added = getattr(spark.client.thread_local, "user_context_extensions", ())
    return any(extension.type_url.endswith(f".{_CONTEXT}") for _, extension in added)


def open_pipeline(spark: SparkSession) -> PipelineGateway:
    """Open the gateway in the definition of a pipeline. A setting may be asked for everywhere.

    Raises
    ------
    SparkWindowingError
        If the server of the pipeline was started without windows.
    """
    if PLUGIN not in (spark.conf.get(SETTING, "") or ""):
        raise SparkWindowingError("The server of this pipeline was started without windows.", START)
    return PipelineGateway(spark)
