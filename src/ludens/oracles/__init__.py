"""Exact solvers: perfect play where a game is small enough."""
