"""Moves of occurrence and expertise together, with all presence summed out."""
