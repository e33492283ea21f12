"""Updating: new annotations join a fit, whose draws the chains of the new fit start from."""
