"""Findings: what a fit says about single recordings, species and votes."""
