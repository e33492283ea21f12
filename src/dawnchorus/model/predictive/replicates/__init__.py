"""Replicates: presence and votes simulated anew from a draw of the parameters, for the same visits."""
