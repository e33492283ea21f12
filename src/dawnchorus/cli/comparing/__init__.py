"""Comparing: the command that compares models, and how it shows them."""
