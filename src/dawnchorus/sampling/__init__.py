"""Sampling: chains until they agree."""
