"""Exception type of the set-up, and conversion of Scala's errors."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


_REMEDY = re.compile(r"(?P<problem>[^\n]+)\n  (?P<remedy>\S[^\n]*)")


class SparkWindowingError(RuntimeError):
    """Error of the set-up: the problem, and the command that fixes it.

    Attributes
    ----------
    problem
        The problem.
    remedy
        The fix, usually a line to type.

    Examples
    --------
    >>> try:
    ...     sw.jar_path("3.4")
    ... except sw.SparkWindowingError as error:
    ...     print(error)  # doctest: +ELLIPSIS
    There is no jar for Spark '3.4': spark-windowing ... has jars for Spark 3.5, 4.0 and 4.1 to 4.3.
      name one of these by two numbers or more: python -m spark_windowing jar-path 4.2   (sw.jar_path("4.2"))
    """

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem, remedy)
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        """Return the problem and, on its own line, the remedy."""
        return f"{self.problem}\n  {self.remedy}"


@contextmanager
def scala_errors() -> Iterator[None]:
    """Raise a refusal of Scala as a ValueError with its text, without the stack trace.

    A text whose second and last line is indented is a problem and its remedy, a SparkWindowingError.

    Spark's AnalysisException and all other errors pass unchanged.
    """
    from pyspark.errors import IllegalArgumentException, UnsupportedOperationException

    try:
        yield
    except (IllegalArgumentException, UnsupportedOperationException) as error:
        # Spark Connect shows the stack trace of the server in str(error).
        text = getattr(error, "_desc", None) or getattr(error, "_message", None) or str(error)
        if (found := _REMEDY.fullmatch(text)) is not None:
            raise SparkWindowingError(found["problem"], found["remedy"]) from None
        raise ValueError(text) from None


@contextmanager
def parse_errors(what: str, text: str) -> Iterator[None]:
    """Raise a parse error of Spark as a ValueError of one line that names the argument."""
    from pyspark.errors import AnalysisException

    try:
        yield
    except AnalysisException as error:  # what a ParseException becomes in an analysis
        first = str(error).strip().partition("\n")[0]
        said = re.sub(r"^\[[A-Z0-9_.]+\] | SQLSTATE: \w+", "", first)
        raise ValueError(f"{what}: Spark cannot read {text!r}: {said}") from None
