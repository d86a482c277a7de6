"""Step-by-step runs of a declaration without a streaming query."""
