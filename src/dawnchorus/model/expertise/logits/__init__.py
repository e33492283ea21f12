"""Logits of rates by annotator and species: draws of them, of levels and of spreads, given counts."""
