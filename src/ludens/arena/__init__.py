"""Matches, records, ratings and tournaments; names no game."""
