"""Functions of the package that run in other processes, which may not have the package."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType


def by_value(*modules: ModuleType) -> None:
    """Have PySpark pickle the functions and classes of these modules by value."""
    try:
        from pyspark import cloudpickle
    except ImportError:  # without PySpark nothing is sent
        return
    for module in modules:
        cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]
