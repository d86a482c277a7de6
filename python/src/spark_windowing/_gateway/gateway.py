"""Gateway to Scala, which answers questions: by py4j, or on a server of Spark Connect."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


@dataclass(frozen=True)
class Gateway(ABC):
    """Scala's side of one session.

    It is asked a question with fields (see `message`). A refusal of Scala is a ValueError.

    Attributes
    ----------
    spark
        The session.
    """

    spark: SparkSession

    @abstractmethod
    def frame(self, ask: str, /, **fields: object) -> DataFrame:
        """Ask for a DataFrame."""

    @abstractmethod
    def value(self, ask: str, /, **fields: object) -> Any:
        """Ask for a text, a number or a list of these; None for null."""

    @abstractmethod
    def resolve(self, rows: object) -> Resolved | None:
        """Resolve the rows of a declaration for its next steps, if that takes no request to a server."""

    @abstractmethod
    def check(self, declaration: object) -> None:
        """Refuse what is wrong in a declaration so far, if that takes no request to a server."""

    def require_answers(self, what: str, instead: str) -> None:
        """Refuse what needs an answer, where none comes; `instead` is the line to type."""
        del what, instead  # by default they come

    def schema(self, ask: str, /, **fields: object) -> StructType:
        """Ask for a schema."""
        from pyspark.sql.types import StructType

        return StructType.fromJson(self.value(ask, **fields))


@dataclass(frozen=True)
class Resolved:
    """Rows of a declaration as Scala resolved them.

    Attributes
    ----------
    gateway
        The gateway that answered.
    java
        The list of them alone, which stands beside a message.
    made
        What messages about these rows have made of parts and expressions, by ``id``, with the part or
        expression: so a function of Columns is called once, however many steps follow.
    """

    gateway: Gateway
    java: Any
    made: dict[int, tuple[object, Any]] = field(default_factory=dict, compare=False, repr=False)
