"""Evaluation of a fit against the truth: scores of presence probabilities and errors of rates."""
