"""The common base of the steps of a declaration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spark_windowing._gateway.gateway import Gateway


@dataclass(frozen=True, eq=False, repr=False)
class Declaration:
    """A declaration so far: its Scala value and the calls that made it.

    `_inputs` are the names of the inputs of a co-group, none otherwise.
    """

    _gateway: Gateway
    _java: Any
    _text: str
    _inputs: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return the declaration so far."""
        return self._text
