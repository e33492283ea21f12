"""Files that appear whole or not at all, and that tell when they are damaged."""
