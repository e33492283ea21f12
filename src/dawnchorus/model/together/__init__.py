"""Moves of what all votes have in common, with all presence summed out; where every cell can be afforded."""
