"""The one exception type of the set-up, and how Scala's refusals reach Python."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class SparkWindowingError(RuntimeError):
    """The package cannot work with this session: what is wrong, and the line to type.

    Attributes
    ----------
    problem
        What is wrong.
    remedy
        What mends it, usually a line to type.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> try:
    ...     sw.configure(SparkSession.builder.remote("sc://localhost"))
    ... except sw.SparkWindowingError as error:
    ...     print(error)
    The builder is for Spark Connect: its session has no JVM in reach.
      leave out .remote(..)
    """

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem, remedy)
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        """Return the problem and, on a line of its own, what mends it."""
        return f"{self.problem}\n  {self.remedy}"


@contextmanager
def scala_errors() -> Iterator[None]:
    """Raise a refusal of the Scala side as a ValueError with its text and without its stack trace.

    Spark's AnalysisException and all other errors pass as they are.
    """
    from pyspark.errors import IllegalArgumentException, UnsupportedOperationException

    try:
        yield
    except (IllegalArgumentException, UnsupportedOperationException) as error:
        text = getattr(error, "_desc", None) or str(error)
        raise ValueError(text) from None


@contextmanager
def parse_errors(what: str, text: str) -> Iterator[None]:
    """Raise what Spark cannot read as a ValueError that names the argument, on one line."""
    from pyspark.errors import ParseException

    try:
        yield
    except ParseException as error:
        first = str(error).strip().partition("\n")[0]
        said = re.sub(r"^\[[A-Z0-9_.]+\] | SQLSTATE: \w+", "", first)
        raise ValueError(f"{what}: Spark cannot read {text!r}: {said}") from None
