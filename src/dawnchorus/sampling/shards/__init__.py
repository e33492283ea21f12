"""Shards: a chain whose data lie in several places."""
