"""What machines write: tables of scores, and the settings of runs."""
