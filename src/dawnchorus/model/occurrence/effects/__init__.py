"""Effects of context on the occurrence of species: how they are laid out, counted and drawn."""
