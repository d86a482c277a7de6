"""Triggers composed of others."""

from __future__ import annotations

from dataclasses import dataclass

from spark_windowing._builders.triggers import Trigger, check_trigger


@dataclass(frozen=True, repr=False)
class OnceTrigger(Trigger):
    """Fires at the first firing of `nested` in a window, and never again in that window.

    Build it with `of`.

    Attributes
    ----------
    nested
        The trigger that decides.

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


@dataclass(frozen=True, repr=False)
class AnyTrigger(Trigger):
    """Fires when one of its parts fires, and purges when one purges.

    Each part has its own state and timers.

    Build it with `of`.

    Attributes
    ----------
    parts
        The triggers, called in this order.

    Examples
    --------
    >>> AnyTrigger.of(sw.EventTimeTrigger.create(), sw.CountTrigger.of(100))
    AnyTrigger.of(EventTimeTrigger.create(), CountTrigger.of(100))
    """

    parts: tuple[Trigger, ...]

    def __post_init__(self) -> None:
        """Check the argument, however the value was made."""
        if not self.parts:
            raise ValueError("AnyTrigger needs at least one trigger, got none")
        for part in self.parts:
            check_trigger("a part of AnyTrigger", part)

    @classmethod
    def of(cls, *parts: Trigger) -> AnyTrigger:
        """Make the trigger.

        Parameters
        ----------
        *parts
            Window triggers.

        Returns
        -------
        AnyTrigger
            For `WindowedStream.trigger`.

        Raises
        ------
        TypeError
            If one is no window trigger.
        ValueError
            If there is none.
        """
        return cls(parts)

    def __repr__(self) -> str:
        """Return the call that makes an equal value."""
        return f"AnyTrigger.of({', '.join(map(repr, self.parts))})"
