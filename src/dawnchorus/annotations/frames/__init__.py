"""Conversion of a user's tables, with labels, to arrays of whole numbers."""
