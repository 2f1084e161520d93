"""Planning by looking ahead; knows the game contract, never a game."""
