"""Presence in mixtures: which component a recording belongs to, and presence given that."""
