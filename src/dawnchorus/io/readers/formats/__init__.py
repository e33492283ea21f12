"""Formats: one file each, with one function that returns plain tables."""
