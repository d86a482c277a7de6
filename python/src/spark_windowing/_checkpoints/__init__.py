"""Checkpoints of queries that are stopped."""
