"""The processes that know the rules and the players: they import JAX."""
