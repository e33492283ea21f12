"""Model: the statistics. Where species occur, how annotators err, and presence, in which they meet."""
