"""The declaration of windows, from a DataFrame to a result."""
