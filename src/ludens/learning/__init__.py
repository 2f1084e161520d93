"""Learning algorithms, one per file, and the loop they share; names no game."""
