"""Assigners, triggers, evictors and functions written by users in Scala or Java."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_windowing._builders.assigners import WindowAssigner
from spark_windowing._builders.evictors import Evictor
from spark_windowing._builders.part import ScalaCall, set_field
from spark_windowing._builders.triggers import Trigger

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, repr=False)
class JvmPart(WindowAssigner, Trigger, Evictor):
    """Window assigner, trigger, evictor or function of a class in a user's jar.

    Made by `jvm`, whose arguments are the attributes.

    Examples
    --------
    >>> jvm("com.acme.EveryNth", 3)
    jvm('com.acme.EveryNth', 3)
    """

    class_name: str
    args: tuple[object, ...]

    def __post_init__(self) -> None:
        """Check the arguments, however the value was made."""
        if not isinstance(self.class_name, str) or not self.class_name:
            raise TypeError(f"jvm takes the name of a class, got {self.class_name!r}")
        set_field(self, "args", _fixed(self.args))

    def _scala(self) -> ScalaCall:
        return ScalaCall("dev.sparkwindowing.interop.ClassParts", "make", (self.class_name, self.args))

    def __repr__(self) -> str:
        """Return the call that makes an equal value."""
        return f"jvm({', '.join(map(repr, (self.class_name, *self.args)))})"


def jvm(class_name: str, *args: object) -> JvmPart:
    """Use a window assigner, trigger, evictor or function written in Scala or Java.

    The class implements ``WindowAssigner``, ``MergingWindowAssigner``, ``Trigger`` or ``Evictor`` of
    ``dev.sparkwindowing`` for elements of type ``Row``, rows of the DataFrame given to `key_by`; or
    ``AggregateFunction``, ``ReduceFunction`` or ``KeyedProcessFunction`` of
    ``dev.sparkwindowing.functions``.

    Parameters
    ----------
    class_name
        The class, with its package, in a jar of ``spark.jars``.
    *args
        Arguments of its public constructor: numbers, text, durations, other parts, lists of these.

    Returns
    -------
    JvmPart
        For ``window``, ``trigger``, ``evictor``, ``aggregate``, ``reduce`` or `KeyedStream.process`.

    Raises
    ------
    TypeError
        If the name is no text.
    ValueError
        On use, if there is no such class or constructor.

    Examples
    --------
    >>> jvm("com.acme.EveryNth", 3)
    jvm('com.acme.EveryNth', 3)
    """
    return JvmPart(class_name, args)


def _fixed(values: Iterable[object]) -> tuple[object, ...]:
    """Take lists as what cannot change, at any depth, so that the value can be in a set."""
    return tuple(_fixed(value) if isinstance(value, (list, tuple)) else value for value in values)
