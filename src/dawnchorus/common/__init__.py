"""Common: nothing of birds. Errors, ragged arrays, compiling, lazy imports, files that appear whole."""
