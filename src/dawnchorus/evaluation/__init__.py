"""Evaluation: how good it is."""
