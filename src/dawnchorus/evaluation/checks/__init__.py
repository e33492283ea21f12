"""Checks: whether data that a model simulates look like the real ones (posterior predictive checks)."""
