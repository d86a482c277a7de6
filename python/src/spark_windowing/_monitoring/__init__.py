"""The live view of a running query."""
