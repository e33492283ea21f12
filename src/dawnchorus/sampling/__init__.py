"""Sampling: several chains, run until they agree."""
