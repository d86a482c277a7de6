"""The one place for the version of the package and of the jar inside it."""

__version__ = "0.1.0"
