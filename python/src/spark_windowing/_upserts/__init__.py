"""Results in tables with one row a key and window."""
