"""Triggers composed of others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_windowing._builders.arguments import truth
from spark_windowing._builders.part import set_field
from spark_windowing._builders.triggers import Trigger, check_trigger

if TYPE_CHECKING:
    from spark_windowing._builders.part import ScalaCall


@dataclass(frozen=True, repr=False)
class OnceTrigger(Trigger):
    """Fires at the first firing of `nested` in a window, and never again in that window.

    Build it with `of`. Its attribute is `nested`.

    Examples
    --------
    >>> OnceTrigger.of(sw.CountTrigger.of(1))
    OnceTrigger.of(CountTrigger.of(1))
    """

    nested: Trigger

    def __post_init__(self) -> None:
        """Check the argument, however the value was made."""
        check_trigger("OnceTrigger: nested", self.nested)

    @classmethod
    def of(cls, nested: Trigger) -> OnceTrigger:
        """Make the trigger.

        Parameters
        ----------
        nested
            The window trigger that decides when to fire.

        Returns
        -------
        OnceTrigger
            For `WindowedStream.trigger`.

        Raises
        ------
        TypeError
            If it is no window trigger.
        """
        return cls(nested)


@dataclass(frozen=True, repr=False, init=False)
class AnyTrigger(Trigger):
    """Fires when one of its parts fires, and purges when one purges.

    Each part has its own state and timers. A firing restarts the parts that did not cause it, so that 100
    rows or a minute count from the last firing. The firing at the end of the window stays.

    Build it with `of`, whose arguments are the attributes.

    Examples
    --------
    >>> AnyTrigger.of(sw.EventTimeTrigger.create(), sw.CountTrigger.of(100))
    AnyTrigger.of(EventTimeTrigger.create(), CountTrigger.of(100))
    """

    parts: tuple[Trigger, ...]
    restart_on_fire: bool = True

    def __init__(
        self, *triggers: Trigger, parts: tuple[Trigger, ...] = (), restart_on_fire: bool = True
    ) -> None:
        """Take the triggers as `of` does; or as `parts`, as ``dataclasses.replace`` gives them."""
        set_field(self, "parts", triggers or tuple(parts))
        set_field(self, "restart_on_fire", restart_on_fire)
        check_parts("AnyTrigger", self.parts)
        truth("AnyTrigger", "restart_on_fire", self.restart_on_fire)

    @classmethod
    def of(cls, *parts: Trigger, restart_on_fire: bool = True) -> AnyTrigger:
        """Make the trigger.

        Parameters
        ----------
        *parts
            Window triggers, called in this order.
        restart_on_fire
            True if a firing restarts the parts that did not cause it: their counts, intervals and states. If
            False, each part goes on as if it were alone.

        Returns
        -------
        AnyTrigger
            For `WindowedStream.trigger`.

        Raises
        ------
        TypeError
            If a part is no window trigger, or `restart_on_fire` is not True or False.
        ValueError
            If there is no part.
        """
        return cls(*parts, restart_on_fire=restart_on_fire)

    def _scala(self) -> ScalaCall:
        return super()._scala()._replace(args=(self.restart_on_fire, self.parts))

    def __repr__(self) -> str:
        """Return the call that makes an equal value."""
        named = [] if self.restart_on_fire else ["restart_on_fire=False"]
        return f"AnyTrigger.of({', '.join([*map(repr, self.parts), *named])})"


@dataclass(frozen=True, repr=False, init=False)
class AllTrigger(Trigger):
    """Fires when each of its parts has fired since the last firing, and then purges if one of them purged.

    Each part has its own state and timers. A firing restarts the parts, so that 100 rows and a minute count
    from the last firing. Rows that are left when the window is removed are dropped with it.

    Build it with `of`. Its attribute is `parts`, a tuple.

    Examples
    --------
    >>> AllTrigger.of(sw.CountTrigger.of(100), sw.ContinuousProcessingTimeTrigger.of("1 minute"))
    AllTrigger.of(CountTrigger.of(100), ContinuousProcessingTimeTrigger.of("1 minute"))
    """

    parts: tuple[Trigger, ...]

    def __init__(self, *triggers: Trigger, parts: tuple[Trigger, ...] = ()) -> None:
        """Take the triggers as `of` does; or as `parts`, as ``dataclasses.replace`` gives them."""
        set_field(self, "parts", triggers or tuple(parts))
        check_parts("AllTrigger", self.parts)

    @classmethod
    def of(cls, *parts: Trigger) -> AllTrigger:
        """Make the trigger.

        Parameters
        ----------
        *parts
            Window triggers, up to 64, called in this order.

        Returns
        -------
        AllTrigger
            For `WindowedStream.trigger`.

        Raises
        ------
        TypeError
            If one is no window trigger.
        ValueError
            If there is none.
        """
        return cls(*parts)

    def __repr__(self) -> str:
        """Return the call that makes an equal value."""
        return f"AllTrigger.of({', '.join(map(repr, self.parts))})"


def check_parts(owner: str, parts: tuple[Trigger, ...]) -> None:
    """Raise unless there is a trigger, and nothing else."""
    if not parts:
        raise ValueError(f"{owner} needs at least one trigger, got none")
    for part in parts:
        check_trigger(f"a part of {owner}", part)
