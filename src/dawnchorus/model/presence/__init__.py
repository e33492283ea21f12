"""Presence: the hinge between where species occur and how annotators err."""
