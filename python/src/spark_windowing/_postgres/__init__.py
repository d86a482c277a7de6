"""Results in tables of PostgreSQL."""
