"""What platforms let people choose from."""
