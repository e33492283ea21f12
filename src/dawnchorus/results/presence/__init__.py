"""Presence in tables: cells with their probabilities, which of them are wanted, and decisions."""
