"""Outputs of a result and the state of its query."""
