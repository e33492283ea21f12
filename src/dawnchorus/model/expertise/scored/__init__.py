"""Scored reports: what the score of a machine says of presence, given that it reports."""
