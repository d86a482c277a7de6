"""Declaration of windows, from a DataFrame to a result."""
