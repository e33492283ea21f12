"""Showing: what long work is doing, to whoever is looking."""
