"""Saving: results on disk, and back."""
