"""The command line: parses options, calls public functions and shows their results."""
