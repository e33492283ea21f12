"""Commands that write results for others to use."""
