"""Paths of checkpoints."""

from __future__ import annotations

import os


def checkpoint_path(name: str, value: object) -> str:
    """Return the path that an argument names, or raise TypeError."""
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{name} must be the path of a checkpoint, got {value!r}")
    return os.fspath(value)
