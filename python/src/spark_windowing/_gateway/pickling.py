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

    Another name of the package is an ImportError or an AttributeError that says what is missing.
    """
    import pickle
    import sys

    if not _is_here():
        sys.modules[_PACKAGE] = _stand_in(names)
        sys.meta_path.append(_NoSubmodules(names))
    return pickle.loads(packed)  # noqa: S301  (Spark's workers load functions in this way)


def _is_here() -> bool:
    """Look for the package in each call, as it may come later; without the cost of an import."""
    import sys
    from importlib.util import find_spec

    if getattr(sys.modules.get(_PACKAGE), "__file__", None) is None:  # a stand-in of an earlier call
        sys.modules.pop(_PACKAGE, None)
        sys.meta_path[:] = [f for f in sys.meta_path if not hasattr(f, "stands_in_for_spark_windowing")]
    spec = find_spec(_PACKAGE)
    return spec is not None and spec.origin is not None


def _stand_in(names: Mapping[str, Any]) -> ModuleType:
    from importlib.machinery import ModuleSpec
    from types import ModuleType

    module = ModuleType(_PACKAGE)
    vars(module).update(names, __path__=[], __spec__=ModuleSpec(_PACKAGE, None, is_package=True))

    def missing(name: str) -> Any:
        raise AttributeError(_missing(f"{_PACKAGE}.{name}", names))

    module.__getattr__ = missing  # type: ignore[method-assign]
    return module


class _NoSubmodules:
    """Finder of modules that refuses those of the package while a stand-in takes its place."""

    stands_in_for_spark_windowing = True

    def __init__(self, names: Mapping[str, Any]) -> None:
        self._names = names

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:  # noqa: ARG002
        if name.startswith(f"{_PACKAGE}."):
            raise ModuleNotFoundError(_missing(name, self._names))


def _missing(name: str, names: Mapping[str, Any]) -> str:
    return (
        f"{name} is not there: this process has no {_PACKAGE}, and a function finds {' and '.join(names)} of "
        "it. Compute the value before the function and use it there, or install "
        f"{_PACKAGE} for the Python of the workers"
    )
