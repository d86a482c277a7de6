"""Pictures of runs and results, with matplotlib."""
