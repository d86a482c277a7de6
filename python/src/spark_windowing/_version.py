"""Version of the package and of the bundled jar, defined here only."""

__version__ = "0.1.0"
