"""Values that windows are declared with: assigners, triggers, evictors and functions."""
