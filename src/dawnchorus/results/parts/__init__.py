"""Results of data in parts, which are never in one place."""
