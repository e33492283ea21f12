"""The command line: parses, calls public functions and shows what they give."""
