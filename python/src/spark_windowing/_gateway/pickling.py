"""Functions of users and of the package that run in other processes, which may not have the package.

The module is pickled by value itself, and imports no other module of the package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

_PACKAGE = "spark_windowing"


def by_value(*modules: ModuleType) -> None:
    """Have PySpark pickle the functions and classes of these modules by value."""
    try:
        from pyspark import cloudpickle
    except ImportError:  # without PySpark nothing is sent
        return
    for module in modules:
        cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]


def pack(function: Any) -> bytes:
    """Pickle a user's function, for `unpack`."""
    from pyspark import cloudpickle

    return bytes(cloudpickle.dumps(function))  # type: ignore[no-untyped-call]


def unpack(packed: bytes, names: Mapping[str, Any]) -> Any:
    """Load a user's function; a process without this package gets a module of its name with these names.

    Raises
    ------
    ImportError
        If the function needs another part of the package, and the package is missing.
    """
    import pickle
    import sys

    if not _is_here():
        sys.modules[_PACKAGE] = _stand_in(names)
    try:
        return pickle.loads(packed)  # noqa: S301  (Spark's workers load functions in this way)
    except ImportError as error:
        if error.name is None or not error.name.startswith(f"{_PACKAGE}."):
            raise
        raise ImportError(_missing(error.name, names)) from error


def _is_here() -> bool:
    """Look for the package in each call, as it may come later; without the cost of an import."""
    import sys
    from importlib.util import find_spec

    if getattr(sys.modules.get(_PACKAGE), "__file__", None) is None:  # a stand-in of an earlier call
        sys.modules.pop(_PACKAGE, None)
    spec = find_spec(_PACKAGE)
    return spec is not None and spec.origin is not None


def _stand_in(names: Mapping[str, Any]) -> ModuleType:
    from types import ModuleType

    module = ModuleType(_PACKAGE)
    vars(module).update(names, __path__=[])

    def missing(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise ImportError(_missing(f"{_PACKAGE}.{name}", names))

    module.__getattr__ = missing  # type: ignore[method-assign]
    return module


def _missing(name: str, names: Mapping[str, Any]) -> str:
    return (
        f"{name} is not there: this process has no {_PACKAGE}, and a function finds {' and '.join(names)} of "
        "it. Compute the value before the function and use it there, or install "
        f"{_PACKAGE} for the Python of the workers"
    )
