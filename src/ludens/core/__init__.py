"""The vocabulary every other room speaks: games, players, chance, bits."""
