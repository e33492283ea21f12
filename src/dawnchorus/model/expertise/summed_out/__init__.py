"""Moves of rates by annotator and species with presence in reported cells summed out."""
