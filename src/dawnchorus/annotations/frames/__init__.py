"""Frames: a user's table becomes codes."""
