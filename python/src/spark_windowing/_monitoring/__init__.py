"""Live view of a running query."""
