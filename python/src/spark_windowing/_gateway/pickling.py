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
    """Load a user's function; a process without this package gets a module of its name with these names."""
    import pickle
    import sys
    from importlib.util import find_spec

    if find_spec(_PACKAGE) is None:  # looks for it without the cost of an import
        sys.modules[_PACKAGE] = _stand_in(names)
    return pickle.loads(packed)  # noqa: S301  (Spark's workers load functions in this way)


def _stand_in(names: Mapping[str, Any]) -> ModuleType:
    from importlib.machinery import ModuleSpec
    from importlib.util import module_from_spec

    module = module_from_spec(ModuleSpec(_PACKAGE, None))
    vars(module).update(names)

    def missing(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(
            f"{_PACKAGE}.{name} is not there: this process has no {_PACKAGE}, and a function finds "
            f"{', '.join(names)} alone. Compute the value before the function and use it there, or install "
            f"{_PACKAGE} for the Python of the workers"
        )

    module.__getattr__ = missing  # type: ignore[method-assign]
    return module
