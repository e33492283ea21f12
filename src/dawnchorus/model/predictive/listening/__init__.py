"""Listening: what one more listener would report, given the votes on a cell and draws of the parameters."""
