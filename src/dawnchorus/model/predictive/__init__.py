"""Predictive: presence given votes and draws of the parameters, in fitted and in later recordings."""
