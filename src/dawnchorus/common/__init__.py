"""General tools that know nothing about species: errors, ragged arrays, compiling, imports, files."""
