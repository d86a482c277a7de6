"""Computation of a complete declaration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_windowing._streams.value import Call

if TYPE_CHECKING:
    from spark_windowing._streams.process import Process
    from spark_windowing._streams.process_by_class import ProcessByClass


@dataclass(frozen=True, eq=False, repr=False)
class Computation(Call):
    """Last call of a declaration.

    Attributes
    ----------
    function
        What must be known of a function before Scala is asked; None if there is nothing.
    """

    function: Process | ProcessByClass | None = None
