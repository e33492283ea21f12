"""Where and when recordings were made, from the columns of their table."""
