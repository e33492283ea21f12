"""Held out: which model predicts votes best that it has not seen."""
